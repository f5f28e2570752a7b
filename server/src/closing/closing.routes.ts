import { endpoints } from '@tradepost/contract/endpoints'
import type { AuthDeps } from '../auth/keys/auth-deps.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { closeOwnAccount } from './close-account.ts'
import { readPlan } from './read-plan.ts'

export function closingRoutes(api: EndpointRegistry, deps: AuthDeps): void {
  api.serve(endpoints.closing, ({ caller, now }) => readPlan(deps, caller, now))
  api.serve(endpoints.closeAccount, async ({ caller, client, now }) => ({
    eraseAt: (await closeOwnAccount(deps, caller, client, now)).toISOString(),
  }))
}
