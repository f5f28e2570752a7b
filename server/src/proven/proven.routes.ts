import { endpoints } from '@tradepost/contract/endpoints'
import { readListed } from '../events/read-published.ts'
import type { Queryable } from '../platform/database.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import { readProven } from './read-proven.ts'

/** The night's scores; who trades sees at once what they opened and closed themselves, since the list counts open positions. */
export function provenRoutes(api: EndpointRegistry, deps: { db: Queryable; others: ReadsOfOthers }): void {
  api.serve(endpoints.proven, ({ caller, now }) =>
    readListed(deps, caller.userId, (from) => readProven(from, caller.userId, now)),
  )
}
