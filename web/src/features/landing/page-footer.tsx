import { webPaths } from '@tradepost/contract/web-paths'
import type { Elements } from '../../ui/elements.ts'

/** Pages of their own, outside of the app: each is a full load. */
const links = [
  { label: 'Terms', path: webPaths.terms },
  { label: 'Privacy', path: webPaths.privacy },
  { label: 'Contact', path: webPaths.contact },
  { label: 'Status', path: webPaths.status },
  { label: 'Public record', path: webPaths.record },
  { label: 'API', path: webPaths.apiDocs },
] as const

/** The foot of every page that a visitor can read. @param children stands above its links */
export function PageFooter({ children }: { children?: Elements }) {
  return (
    <footer className="mx-auto w-full max-w-[1080px] px-6 text-sm text-muted-foreground">
      {/* As wide as the content: at the window's edge it would end where a scroll bar has its place. */}
      <div className="border-t border-border py-4">
        {children}
        {/* No navigation landmark: those are for people who are signed in (docs/specification.md section 2). */}
        <ul className="flex flex-wrap gap-x-6">
          {links.map(({ label, path }) => (
            <li key={path}>
              <a
                href={path}
                className="inline-flex min-h-11 min-w-11 items-center rounded-sm outline-none hover:text-foreground hover:underline focus-visible:ring-2 focus-visible:ring-ring"
              >
                {label}
              </a>
            </li>
          ))}
        </ul>
      </div>
    </footer>
  )
}
