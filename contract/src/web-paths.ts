/** Browser paths that both sides must know: the router, mail links and redirects. */
export const webPaths = {
  home: '/',
  login: '/login',
  leaderboard: '/leaderboard',
  search: '/search',
  trade: '/trade',
  account: '/account',
  /** Sections of the account page that mails lead to. */
  profile: '/account#profile',
  subscriptions: '/account#subscriptions',
  payments: '/account#payments',
  paymentSuccess: '/payment/success',
  trader: (username: string) => `/trader/${encodeURIComponent(username)}`,
  subscribe: (username: string) => `/trader/${encodeURIComponent(username)}/subscribe`,
  /** A sign-in link; the secret stands in the fragment, which browsers send to no server (decision G-03). */
  loginLink: (tokenHash: string) => `/login#token_hash=${tokenHash}&type=email`,
} as const
