/** The screens of the web app; web/src/app/screens.ts loads each. */
export type ScreenName =
  | 'landing'
  | 'login'
  | 'positions'
  | 'leaderboard'
  | 'search'
  | 'trade'
  | 'trader'
  | 'subscribe'
  | 'paymentSuccess'
  | 'account'
  | 'activity'
  | 'notFound'

/**
 * A screen, and the title of the browser's tab before the brand; an empty title leaves the brand alone, and `:username` is that segment
 * of the path.
 */
export type ShownScreen = { screen: ScreenName; title: string }

/**
 * One page of the web app. The path is a pattern: `:username` names a segment. People without a screen there are redirected: a visitor to
 * /login, a signed-in person to / (docs/specification.md section 2). `leadsTo` is for addresses that people type.
 */
export type WebRoute = {
  path: string
  /** The document that the build makes for this path with its page in it (rule G-81); all others share one shell. */
  document?: 'index.html' | 'login.html'
} & ({ visitor?: ShownScreen; signedIn?: ShownScreen } | { leadsTo: string })

// Apart from the table, so that the script in every document's head carries these two and not all of it.
export const homeRoute = {
  path: '/',
  document: 'index.html',
  visitor: { screen: 'landing', title: '' },
  signedIn: { screen: 'positions', title: 'Positions' },
} as const satisfies WebRoute
export const loginRoute = {
  path: '/login',
  document: 'login.html',
  visitor: { screen: 'login', title: 'Log in' },
} as const satisfies WebRoute

/**
 * Every page of the web app (docs/specification.md section 2), for all parts that need them: the browser's router and guards, the
 * server, which answers 200 to these paths and 404 to all others (rule G-02), the build and the links (web-paths.ts).
 */
export const webRoutes = {
  home: homeRoute,
  login: loginRoute,
  leaderboard: { path: '/leaderboard', signedIn: { screen: 'leaderboard', title: 'Leaderboard' } },
  search: { path: '/search', signedIn: { screen: 'search', title: 'Search' } },
  trade: { path: '/trade', signedIn: { screen: 'trade', title: 'New position' } },
  trader: { path: '/trader/:username', signedIn: { screen: 'trader', title: ':username' } },
  subscribe: {
    path: '/trader/:username/subscribe',
    signedIn: { screen: 'subscribe', title: 'Subscribe' },
  },
  paymentSuccess: { path: '/payment/success', signedIn: { screen: 'paymentSuccess', title: 'Subscribed' } },
  account: { path: '/account', signedIn: { screen: 'account', title: 'Account' } },
  // Where the buttons of mails lead (rule G-86).
  activity: { path: '/activity', signedIn: { screen: 'activity', title: 'Activity' } },
  // Feedback is a section of the account page; people type this address all the same (rule G-06).
  feedback: { path: '/feedback', leadsTo: '/account#feedback' },
} as const satisfies Record<string, WebRoute>

/** The screen of every other path (rule G-02). */
export const NOT_FOUND: ShownScreen = { screen: 'notFound', title: 'Not found' }
