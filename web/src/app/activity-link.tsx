import { webPaths } from '@tradepost/contract/web-paths'
import { BellIcon } from 'lucide-react'
import { UnreadCount } from '../features/activity/unread-count.tsx'
import { NavLink } from '../lib/router.tsx'
import { buttonVariants } from '../ui/button.tsx'
import { preloadPath } from './preload.ts'

/** The way to /activity, with how much there is unread. */
export function ActivityLink() {
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
      <UnreadCount />
    </NavLink>
  )
}
