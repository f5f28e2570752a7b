import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../platform/distribution/replica.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { makeProven } from './read-proven.ts'

/** The night's scores; a trader sees at once what they opened and closed themselves, since the list counts open positions. */
export function provenRoutes(
  api: EndpointRegistry,
  deps: { db: Queryable; pipelined: Queryable; others: ReadsOfOthers },
): void {
  const readProven = makeProven(deps)
  api.serve(endpoints.proven, ({ caller, now }) => readProven(caller.userId, now))
}
