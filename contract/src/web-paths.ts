import { webRoutes } from './web-routes.ts'

const { home, login, leaderboard, search, trade, account, paymentSuccess, trader, subscribe, activity } =
  webRoutes

/** A trader's public page and its picture, as patterns (rule G-109). */
export const PUBLIC_PAGE = '/t/:username'
export const PUBLIC_PICTURE = '/t/:username/picture.png'

/** Addresses of the web app's pages, made from the route table: for links of the screens, mails and redirects. */
export const webPaths = {
  home: home.path,
  /** The home page at the positions of the traders one follows. */
  followedPositions: `${home.path}?tab=subscription`,
  /** The same at those of one of them. */
  followedPositionsOf: (username: string) =>
    `${home.path}?tab=subscription&trader=${encodeURIComponent(username)}`,
  /** The home page at one's own positions, which are closed there. */
  ownPositions: `${home.path}?tab=personal`,
  login: login.path,
  leaderboard: leaderboard.path,
  search: search.path,
  trade: trade.path,
  account: account.path,
  /** Sections of the account page that mails lead to. */
  profile: `${account.path}#profile`,
  subscriptions: `${account.path}#subscriptions`,
  payments: `${account.path}#payments`,
  activity: activity.path,
  /** Activity at one of its items, by the item's id. */
  activityItem: (id: string) => withItem(activity.path, id),
  /** Sign-in on the way to an item of Activity. */
  loginFor: (id: string) => withItem(login.path, id),
  paymentSuccess: paymentSuccess.path,
  /** Documents beside the app: no route of the browser's, always a full load (rule G-86). */
  terms: '/terms',
  privacy: '/privacy',
  contact: '/contact',
  apiDocs: '/docs',
  status: '/status',
  statusJson: '/status.json',
  /** The page about the public record, and the one that checks a receipt, which is in the fragment (rule G-115). */
  record: '/record',
  verify: '/verify',
  /** A trader's public page, where it is on (rule G-109). */
  publicPage: (username: string) => withUsername(PUBLIC_PAGE, username),
  /** The picture that other sites show of it. */
  publicPicture: (username: string) => withUsername(PUBLIC_PICTURE, username),
  trader: (username: string) => withUsername(trader.path, username),
  subscribe: (username: string) => withUsername(subscribe.path, username),
  /** The same without the free days that the trader offers. */
  subscribeAtThePrice: (username: string) => `${withUsername(subscribe.path, username)}?trial=no`,
  /** A sign-in link; the secret is in the fragment, which browsers send to no server (rule G-03). */
  loginLink: (tokenHash: string) => `${login.path}#token_hash=${tokenHash}&type=email`,
} as const

/** The item is a value and is escaped: it cannot change the path of the address. */
function withItem(path: string, id: string): string {
  return `${path}?item=${encodeURIComponent(id)}`
}

function withUsername(path: `${string}:username${string}`, username: string): string {
  return path.replace(':username', () => encodeURIComponent(username))
}
