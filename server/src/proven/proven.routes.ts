import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { readProven } from './read-proven.ts'

export function provenRoutes(api: EndpointRegistry, deps: { db: Queryable }): void {
  api.serve(endpoints.proven, ({ caller, now }) => readProven(deps.db, caller.userId, now))
}
