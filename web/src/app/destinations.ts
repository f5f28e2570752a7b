import { webPaths } from '@tradepost/contract/web-paths'
import { CircleUser, House, type LucideIcon, Search, Trophy } from 'lucide-react'

type Destination = { label: string; path: string; Icon: LucideIcon }

/** The four entries of the side navigation and the drawer, in this order (docs/specification.md section 2). */
export const destinations: readonly Destination[] = [
  { label: 'Home', path: webPaths.home, Icon: House },
  { label: 'Search', path: webPaths.search, Icon: Search },
  { label: 'Leaderboard', path: webPaths.leaderboard, Icon: Trophy },
  { label: 'Account', path: webPaths.account, Icon: CircleUser },
]
