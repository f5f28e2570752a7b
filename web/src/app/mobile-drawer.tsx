import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { accountQuery } from '../features/account/account.api.ts'
import { Link, NavLink } from '../lib/router.tsx'
import { Button } from '../ui/button.tsx'
import { cn } from '../ui/cn.ts'
import { Drawer, DrawerClose, DrawerContent, DrawerDescription, DrawerTitle } from '../ui/drawer.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { Wordmark } from '../ui/wordmark.tsx'
import { destinations } from './destinations.ts'
import { preloadPath } from './preload.ts'

const entry =
  '-mx-3 flex h-12 items-center gap-3 rounded-md px-3 text-base text-muted-foreground outline-none hover:bg-accent focus-visible:ring-2 focus-visible:ring-ring aria-[current=page]:bg-accent aria-[current=page]:font-medium aria-[current=page]:text-foreground'

const head =
  'inline-flex h-11 items-center rounded-md outline-none focus-visible:ring-2 focus-visible:ring-ring'

type MobileDrawerProps = { open: boolean; onOpenChange: (open: boolean) => void }

/** The bottom sheet of small screens: the same four destinations, the wordmark, and Close (docs/specification.md section 2). */
export function MobileDrawer({ open, onOpenChange }: MobileDrawerProps) {
  const username = useQuery(accountQuery).data?.username
  const close = () => onOpenChange(false)
  return (
    <Drawer open={open} onOpenChange={onOpenChange}>
      <DrawerContent>
        {/* At 200 % zoom a screen is lower than the sheet: what does not fit is scrolled to. */}
        <div className="min-h-0 overflow-y-auto px-6 pt-5 pb-8">
          <DrawerTitle className="sr-only">Menu</DrawerTitle>
          <DrawerDescription className="sr-only">Where to go</DrawerDescription>
          <div className="flex items-center justify-between gap-4">
            <Link to={webPaths.home} onClick={close} className={cn(head, 'shrink-0')}>
              <Wordmark withMark />
            </Link>
            {username && <OwnName username={username} onClick={close} />}
          </div>
          <nav aria-label="Main">
            <ul className="my-3 space-y-1">
              {destinations.map(({ label, path, Icon }) => (
                <li key={path}>
                  <NavLink
                    to={path}
                    onClick={close}
                    onPointerDown={() => preloadPath(path)}
                    className={entry}
                  >
                    <Icon aria-hidden="true" className="size-5" />
                    <span>{label}</span>
                  </NavLink>
                </li>
              ))}
            </ul>
          </nav>
          <DrawerClose asChild>
            <Button variant="outline" className="w-full">
              Close
            </Button>
          </DrawerClose>
        </div>
      </DrawerContent>
    </Drawer>
  )
}

/** The person's own name at the head of the sheet, a link to their public page; among the destinations it would be a fifth. */
function OwnName({ username, onClick }: { username: string; onClick: () => void }) {
  const path = webPaths.trader(username)
  return (
    <NavLink
      to={path}
      onClick={onClick}
      onPointerDown={() => preloadPath(path)}
      translate="no"
      className={cn(head, '-mr-2 min-w-0 gap-2 px-2 text-sm text-muted-foreground hover:bg-accent')}
    >
      <Monogram name={username} className="size-6 shrink-0 text-[0.625rem]" />
      <span className="truncate">{`@${username}`}</span>
    </NavLink>
  )
}
