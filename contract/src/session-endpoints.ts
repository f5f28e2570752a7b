import type { Endpoint } from './endpoint.ts'
import { recoveryCodesAnswer, secondStepAnswer } from './second-step.ts'
import { sessionEndAnswer, sessionParams, sessionsAnswer } from './sessions.ts'

/** Calls about one’s sessions and the second step of signing in. */
export const sessionEndpoints = {
  sessions: {
    method: 'GET',
    path: '/v1/accounts/sessions',
    answer: sessionsAnswer,
  },
  endSession: {
    method: 'POST',
    path: '/v1/accounts/sessions/:id/end',
    params: sessionParams,
    answer: sessionEndAnswer,
  },
  secondStep: {
    method: 'GET',
    path: '/v1/accounts/second-step',
    answer: secondStepAnswer,
  },
  makeRecoveryCodes: {
    method: 'POST',
    path: '/v1/accounts/recovery-codes',
    status: 201,
    answer: recoveryCodesAnswer,
  },
} as const satisfies Record<string, Endpoint>
