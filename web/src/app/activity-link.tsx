import { webPaths } from '@tradepost/contract/web-paths'
import { BellIcon } from 'lucide-react'
import { NavLink } from '../lib/router.tsx'
import { usePart } from '../lib/use-part.ts'
import { buttonVariants } from '../ui/button.tsx'
import { preloadPath } from './preload.ts'

/** Not needed for the first picture. */
const loadCount = () => import('../features/activity/unread-count.tsx')

/** The way to /activity, with how much there is unread. */
export function ActivityLink() {
  const count = usePart(loadCount, true).code
  const preload = () => preloadPath(webPaths.activity)
  return (
    <NavLink
      to={webPaths.activity}
      title="Activity"
      onPointerEnter={preload}
      onFocus={preload}
      className={buttonVariants({ variant: 'ghost', size: 'icon' })}
    >
      <BellIcon aria-hidden="true" className="size-[1.125rem]" />
      <span className="sr-only">Activity </span>
      {count && <count.UnreadCount />}
    </NavLink>
  )
}
