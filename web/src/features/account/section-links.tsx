import { cn } from '../../ui/cn.ts'

/** The sections of the account, by the ids that their addresses name (`/account#payments`). */
const SECTIONS = [
  ['profile', 'Profile'],
  ['subscriptions', 'Subscriptions'],
  ['payments', 'Payments'],
  ['feedback', 'Feedback'],
] as const

type SectionLinksProps = {
  /** In one line above the sections, where there is no room beside them. */
  isRow?: boolean
  className?: string
}

/** The ways to the sections, beside or above them. Plain links, so that the second press of one leads there again. */
export function SectionLinks({ isRow = false, className }: SectionLinksProps) {
  return (
    <ul className={cn('text-sm', isRow ? 'flex flex-wrap gap-x-5' : 'border-l border-border', className)}>
      {SECTIONS.map(([id, name]) => (
        <li key={id}>
          <a
            href={`#${id}`}
            className={cn(
              'flex min-h-11 items-center text-muted-foreground outline-none transition-colors duration-150 hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring',
              isRow
                ? 'rounded-sm underline underline-offset-4'
                : '-ml-px border-l border-transparent pl-4 hover:border-foreground',
            )}
          >
            {name}
          </a>
        </li>
      ))}
    </ul>
  )
}
