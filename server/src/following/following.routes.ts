import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { type FollowingDeps, readResults } from './read-results.ts'
import { switchRenewalMail } from './renewal-mails.queries.ts'

export function followingRoutes(api: EndpointRegistry, deps: FollowingDeps): void {
  api.serve(endpoints.followingResults, ({ caller, now }) => readResults(deps, caller.userId, now))
  api.serve(endpoints.switchRenewalMail, async ({ body, caller, now }) => {
    await switchRenewalMail(deps.db, caller.userId, body.enabled, now)
    return { renewalMail: body.enabled }
  })
}
