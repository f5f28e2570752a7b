import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { ReadProven } from './read-proven.ts'

/** The night's scores; a trader sees at once what they opened and closed themselves, since the list counts open positions. */
export function provenRoutes(api: EndpointRegistry, { readProven }: { readProven: ReadProven }): void {
  api.serve(endpoints.proven, ({ caller, now }) => readProven(caller.userId, now))
}
