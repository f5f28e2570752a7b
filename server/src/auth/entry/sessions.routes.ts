import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { makeRecoveryCodes } from '../factors/make-recovery-codes.ts'
import { readSecondStep } from '../factors/read-second-step.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { endSession } from '../sessions/end-session.ts'
import { listSessions } from '../sessions/list-sessions.ts'

/** The sessions and the second step of the signed-in person, for Account > Profile. Signing in and out is the wire's (auth.routes.ts). */
export function sessionsRoutes(api: EndpointRegistry, deps: AuthDeps): void {
  api.serve(endpoints.sessions, ({ caller, now }) => listSessions(deps, caller, now))
  api.serve(endpoints.secondStep, ({ caller, now }) => readSecondStep(deps, caller, now))
  api.serve(endpoints.makeRecoveryCodes, ({ caller, client, now }) =>
    makeRecoveryCodes(deps, caller, client, now),
  )
  api.serve(endpoints.endSession, async ({ caller, params, client, now }) => {
    await endSession(deps, caller, params.id, client, now)
    return { ok: true as const }
  })
}
