import { webPaths } from '@tradepost/contract/web-paths'
import { NavLink } from '../lib/router.tsx'
import { Monogram } from '../ui/monogram.tsx'
import { preloadPath } from './preload.ts'

type MyProfileProps = {
  /** The viewer's, set. */
  username: string
  /** The look of an entry of the navigation it stands under. */
  className: string
  onClick?: () => void
}

/** The way to what others see of oneself. */
export function MyProfile({ username, className, onClick }: MyProfileProps) {
  const path = webPaths.trader(username)
  return (
    <NavLink
      to={path}
      className={className}
      onClick={onClick}
      onPointerEnter={() => preloadPath(path)}
      onFocus={() => preloadPath(path)}
    >
      <Monogram name={username} className="-mx-[0.1875rem] size-6 text-[0.625rem]" />
      My profile
    </NavLink>
  )
}
