import { webPaths } from '@tradepost/contract/web-paths'
import type { ScreenName } from './screens.ts'

/** Who may see a route; `all` is for development pages. */
export type Access = 'signed_in' | 'signed_out' | 'all'

type Route = {
  path: string
  screen: ScreenName
  /** What the browser's tab says before the brand. */
  title: string
  access: Access
}

/** The route table (docs/specification.md section 2), except `/`, whose content depends on who looks. */
export const routes: readonly Route[] = [
  { path: webPaths.login, screen: 'login', title: 'Log in', access: 'signed_out' },
  { path: webPaths.leaderboard, screen: 'leaderboard', title: 'Leaderboard', access: 'signed_in' },
  { path: webPaths.search, screen: 'search', title: 'Search', access: 'signed_in' },
  { path: webPaths.trade, screen: 'trade', title: 'New position', access: 'signed_in' },
  { path: '/trader/:username', screen: 'trader', title: 'Trader', access: 'signed_in' },
  { path: '/trader/:username/subscribe', screen: 'subscribe', title: 'Subscribe', access: 'signed_in' },
  { path: webPaths.paymentSuccess, screen: 'paymentSuccess', title: 'Subscribed', access: 'signed_in' },
  { path: webPaths.account, screen: 'account', title: 'Account', access: 'signed_in' },
  { path: '/styles', screen: 'styles', title: 'Styles', access: 'all' },
]
