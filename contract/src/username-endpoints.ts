import { aboutAnswer, aboutPayload, followersShownAnswer, followersShownPayload } from './about.ts'
import { publicPageAnswer, publicPagePayload, usernameAnswer, usernamePayload } from './accounts.ts'
import type { Endpoint } from './endpoint.ts'

/** The calls about one's own name, what stands on its profile, and the page that is public under it. */
export const usernameEndpoints = {
  setUsername: {
    method: 'POST',
    path: '/v1/accounts/username',
    body: usernamePayload,
    answer: usernameAnswer,
  },
  switchPublicPage: {
    method: 'POST',
    path: '/v1/accounts/public-page',
    body: publicPagePayload,
    answer: publicPageAnswer,
  },
  setAbout: {
    method: 'POST',
    path: '/v1/accounts/about',
    body: aboutPayload,
    answer: aboutAnswer,
  },
  showFollowers: {
    method: 'POST',
    path: '/v1/accounts/followers-shown',
    body: followersShownPayload,
    answer: followersShownAnswer,
  },
} as const satisfies Record<string, Endpoint>
