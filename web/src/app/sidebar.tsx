import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { LogOut } from 'lucide-react'
import { accountQuery } from '../features/account/account.api.ts'
import { leave } from '../features/account/leave.ts'
import { Link, NavLink } from '../lib/router.tsx'
import { cn } from '../ui/cn.ts'
import { Monogram } from '../ui/monogram.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { destinations } from './destinations.ts'
import { preloadPath } from './preload.ts'

const entry = [
  'flex h-10 items-center gap-3 rounded-md px-3 text-muted-foreground transition-colors duration-150 outline-none',
  'hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring',
]

/** The side navigation of wide screens, for signed-in people only (docs/specification.md section 2). */
export function Sidebar() {
  const username = useQuery(accountQuery).data?.username
  return (
    <aside className="sticky top-0 hidden h-dvh w-60 shrink-0 flex-col border-r border-border px-4 py-5 md:flex print:hidden">
      <Link
        to={webPaths.home}
        className="mb-6 self-start rounded-md px-3 outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        <Wordmark withMark />
      </Link>
      <nav aria-label="Main" className="flex flex-1 flex-col">
        <ul className="space-y-1">
          {destinations.map(({ label, path, Icon }) => (
            <li key={path}>
              <NavLink
                to={path}
                onPointerEnter={() => preloadPath(path)}
                onFocus={() => preloadPath(path)}
                className={cn(
                  entry,
                  'aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground',
                )}
              >
                <Icon aria-hidden="true" className="size-[1.125rem]" />
                <span>{label}</span>
              </NavLink>
            </li>
          ))}
        </ul>
        <Link to={webPaths.home} onClick={leave} className={cn(entry, 'mt-auto')}>
          <LogOut aria-hidden="true" className="size-[1.125rem]" />
          <span>Logout</span>
        </Link>
      </nav>
      <div className="mt-1 min-h-10">
        {username && <MyProfile username={username} className={cn(entry)} />}
      </div>
    </aside>
  )
}

type MyProfileProps = {
  /** The viewer's, set. */
  username: string
  /** The look of an entry of the navigation it stands under. */
  className: string
}

/** The way to what others see of oneself. */
function MyProfile({ username, className }: MyProfileProps) {
  const path = webPaths.trader(username)
  return (
    <NavLink
      to={path}
      className={className}
      onPointerEnter={() => preloadPath(path)}
      onFocus={() => preloadPath(path)}
    >
      <Monogram name={username} className="-mx-[0.1875rem] size-6 text-[0.625rem]" />
      <span>My profile</span>
    </NavLink>
  )
}
