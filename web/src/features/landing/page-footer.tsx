import { webPaths } from '@tradepost/contract/web-paths'

/** Pages of their own, outside of the app: each is a full load. */
const links = [
  { label: 'Terms', path: webPaths.terms },
  { label: 'Privacy', path: webPaths.privacy },
  { label: 'Contact', path: webPaths.contact },
  { label: 'API', path: webPaths.apiDocs },
] as const

/** The foot of every page that a visitor can read. */
export function PageFooter() {
  return (
    <footer className="border-t border-border text-sm text-muted-foreground">
      <nav
        aria-label="About this service"
        className="mx-auto flex w-full max-w-[1080px] flex-wrap gap-x-6 px-6 py-4"
      >
        {links.map(({ label, path }) => (
          <a
            key={path}
            href={path}
            className="inline-flex min-h-11 min-w-11 items-center rounded-sm outline-none hover:text-foreground hover:underline focus-visible:ring-2 focus-visible:ring-ring"
          >
            {label}
          </a>
        ))}
      </nav>
    </footer>
  )
}
