import type { Endpoint } from './endpoint.ts'
import { followingResults, renewalMailAnswer, renewalMailPayload } from './following.ts'

/** Calls about what following has brought. */
export const followingEndpoints = {
  followingResults: {
    method: 'GET',
    path: '/v1/following/results',
    answer: followingResults,
  },
  switchRenewalMail: {
    method: 'POST',
    path: '/v1/following/renewal-mail',
    body: renewalMailPayload,
    answer: renewalMailAnswer,
  },
} as const satisfies Record<string, Endpoint>
