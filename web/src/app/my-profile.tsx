import { webPaths } from '@tradepost/contract/web-paths'
import { NavLink } from '../lib/router.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { preloadPath } from './preload.ts'

type MyProfileProps = {
  /** The viewer's, set. */
  username: string
  /** The look of an entry of the navigation it stands under. */
  className: string
}

/** The way to what others see of oneself. */
export function MyProfile({ username, className }: MyProfileProps) {
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
