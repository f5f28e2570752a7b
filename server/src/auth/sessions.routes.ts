import { endpoints } from '@tradepost/contract/endpoints'
import type { ApiDoor } from '../platform/http/api-door.ts'
import type { AuthDeps } from './auth-deps.ts'
import { endSession } from './end-session.ts'
import { listSessions } from './list-sessions.ts'
import { makeRecoveryCodes } from './make-recovery-codes.ts'
import { readSecondStep } from './read-second-step.ts'

/** The sessions and the second step of the signed-in person, for Account > Profile. Signing in and out is the wire's (auth.routes.ts). */
export function sessionsRoutes(door: ApiDoor, deps: AuthDeps): void {
  door.serve(endpoints.sessions, ({ caller, now }) => listSessions(deps, caller, now))
  door.serve(endpoints.secondStep, ({ caller, now }) => readSecondStep(deps, caller, now))
  door.serve(endpoints.makeRecoveryCodes, ({ caller, client, now }) =>
    makeRecoveryCodes(deps, caller, client, now),
  )
  door.serve(endpoints.endSession, async ({ caller, params, client, now }) => {
    await endSession(deps, caller, params.id, client, now)
    return { ok: true as const }
  })
}
