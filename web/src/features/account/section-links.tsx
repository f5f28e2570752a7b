/** The sections of the account, by the ids that their addresses name (`/account#payments`). */
const SECTIONS = [
  ['profile', 'Profile'],
  ['subscriptions', 'Subscriptions'],
  ['payments', 'Payments'],
  ['feedback', 'Feedback'],
] as const

/** Beside the sections: the ways to them. Plain links, so that the second press of one leads there again. */
export function SectionLinks() {
  return (
    <ul className="border-l border-border text-sm">
      {SECTIONS.map(([id, name]) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className="-ml-px flex min-h-11 items-center border-l border-transparent pl-4 text-muted-foreground outline-none transition-colors duration-150 hover:border-foreground hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring"
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  )
}
