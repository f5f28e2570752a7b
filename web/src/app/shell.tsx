import { useQuery } from '@tanstack/react-query'
import { BRAND } from '@tradepost/contract/brand'
import { webPaths } from '@tradepost/contract/web-paths'
import { BellIcon, LogOut, Menu } from 'lucide-react'
import { type ReactNode, Suspense, useState } from 'react'
import { accountQuery } from '../features/account/account.api.ts'
import { leave } from '../features/account/leave.ts'
import { UnreadCount } from '../features/activity/unread-count.tsx'
import { useNewerVersion } from '../lib/newer-version.ts'
import { Link, NavLink } from '../lib/router.tsx'
import { settings } from '../lib/settings.ts'
import { usePart } from '../lib/use-part.ts'
import { Button, buttonClasses } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { PartFailure } from '../ui/part-failure.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ThemeMenu } from '../ui/theme-menu.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { destinations } from './destinations.ts'
import { preloadPath } from './preload.ts'
import { RecordFooter } from './record-footer.tsx'

const entry = [
  'flex h-10 items-center gap-3 rounded-md px-3 text-muted-foreground transition-colors duration-150 outline-none',
  'hover:bg-accent hover:text-foreground focus-visible:ring-2 focus-visible:ring-ring',
]

type MyProfileProps = {
  /** The viewer's, set. */
  username: string
  /** The look of an entry of the navigation it stands under. */
  className: string
}

const loadDrawer = () => import('./mobile-drawer.tsx')

/**
 * Everything around a signed-in screen: navigation, header area, and content of at most 1080 px (docs/specification.md section
 * 2).
 */
export function Shell({ children }: { children: ReactNode }) {
  // Held here, so that it stays fresh for its ten minutes however the screens come and go (rule G-75).
  useQuery(accountQuery)
  return (
    <div className="md:flex">
      <a
        href="#content"
        className="sr-only z-50 rounded-md bg-action px-4 py-2 text-action-foreground focus:not-sr-only focus:fixed focus:top-3 focus:left-3"
      >
        Skip to content
      </a>
      <ErrorBoundary>
        <Sidebar />
      </ErrorBoundary>
      <ErrorBoundary>
        <TopBar />
      </ErrorBoundary>
      <div className="min-w-0 flex-1">
        <header className="mx-auto hidden h-14 w-full max-w-[1128px] items-center justify-between gap-4 px-6 md:flex print:hidden">
          <SandboxLine />
          <div className="ml-auto flex">
            <ErrorBoundary>
              <ActivityLink />
              <ThemeMenu />
            </ErrorBoundary>
          </div>
        </header>
        <main
          id="content"
          tabIndex={-1}
          // As high as the window: the foot begins below it, so that it does not move while the screen loads.
          className="mx-auto min-h-dvh w-full max-w-[1128px] px-4 pt-4 pb-16 outline-none md:px-6 md:pt-0"
        >
          <div className="mb-4 empty:hidden md:hidden">
            <SandboxLine />
          </div>
          <NewerVersionNotice />
          <Suspense fallback={<ScreenSkeleton />}>{children}</Suspense>
        </main>
        <ErrorBoundary>
          <RecordFooter />
        </ErrorBoundary>
      </div>
    </div>
  )
}

/** Nobody shall take the simulated market for a real one (rule G-10). */
function SandboxLine() {
  if (settings.sandbox === null || settings.marketOverride === null) return null
  return <p className="text-sm text-muted-foreground">Sandbox: no real money, the market is always open</p>
}

/** Shows that this page is older than the server, and lacks a part of its answers. The person reloads it, since they may be typing. */
function NewerVersionNotice() {
  return (
    <div role="status" data-slot="newer-version" className="empty:hidden">
      {useNewerVersion() && (
        <p className="mb-4 flex flex-wrap items-center justify-between gap-x-4 rounded-lg border border-border bg-muted px-4 py-1.5 text-sm">
          <span>{`There is a new version of ${BRAND}. This page cannot show all of what it says.`}</span>
          <Button variant="link" size="sm" className="min-w-0 px-0" onClick={() => location.reload()}>
            Load it
          </Button>
        </p>
      )}
    </div>
  )
}

/** The placeholder of the content area while a screen loads: a title and a list. */
function ScreenSkeleton() {
  return (
    <div aria-busy="true" className="space-y-6">
      <span role="status" className="sr-only">
        Loading
      </span>
      <Skeleton className="h-9 w-44" />
      <div className="space-y-3">
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
        <Skeleton className="h-12" />
      </div>
    </div>
  )
}

/**
 * The replacement of the side navigation on small screens (docs/specification.md section 2). The sheet's library comes on intent.
 */
function TopBar() {
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState(false)
  const drawer = usePart(loadDrawer, wanted)
  function toggle(next: boolean): void {
    setWanted(true)
    setOpen(next)
  }
  return (
    <header className="sticky top-0 z-30 flex h-14 items-center border-b border-border bg-background px-3 md:hidden print:hidden">
      <Link
        to={webPaths.home}
        className="mr-auto inline-flex h-11 items-center overflow-hidden rounded-md px-2 outline-none focus-visible:ring-2 focus-visible:ring-ring"
      >
        <Wordmark withMark />
      </Link>
      <ActivityLink />
      <ThemeMenu />
      <Button
        variant="ghost"
        size="icon"
        aria-label="Menu"
        aria-haspopup="dialog"
        aria-expanded={open}
        onPointerDown={() => setWanted(true)}
        onFocus={() => setWanted(true)}
        onClick={() => toggle(true)}
      >
        <Menu aria-hidden="true" className="size-5" />
      </Button>
      {drawer.code && <drawer.code.MobileDrawer open={open} onOpenChange={toggle} />}
      {open && drawer.failed && (
        <PartFailure what="The menu" onRetry={drawer.retry} onDismiss={() => toggle(false)} />
      )}
    </header>
  )
}

/** The way to /activity, with how much there is unread. */
function ActivityLink() {
  const preload = () => preloadPath(webPaths.activity)
  return (
    <NavLink
      to={webPaths.activity}
      title="Activity"
      onPointerEnter={preload}
      onFocus={preload}
      className={buttonClasses({ variant: 'ghost', size: 'icon' })}
    >
      <BellIcon aria-hidden="true" className="size-[1.125rem]" />
      <span className="sr-only">Activity </span>
      <UnreadCount />
    </NavLink>
  )
}

/** The side navigation of wide screens, for signed-in people only (docs/specification.md section 2). */
function Sidebar() {
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
