import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { readAccount } from './read-account.ts'
import { setUsername } from './set-username.ts'

export function accountsRoutes(api: EndpointRegistry, deps: { db: Queryable; pipelined: Queryable }): void {
  api.serve(endpoints.configuration, ({ caller, now }) => readAccount(deps, caller, now))
  api.serve(endpoints.setUsername, async ({ caller, body, now }) => ({
    username: await setUsername(deps, caller, body.username, now),
  }))
}
