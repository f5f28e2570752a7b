import { endpoints } from '@tradepost/contract/endpoints'
import type { EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { type FindPositions, listPositions } from '../list/list-positions.ts'
import { closePosition } from './close-position.ts'
import { openPosition, type PositionsDeps } from './open-position.ts'

export function positionsRoutes(
  api: EndpointRegistry,
  deps: PositionsDeps & { findPositions: FindPositions },
): void {
  api.serve(endpoints.positions, ({ caller }) => listPositions(deps.findPositions, caller))
  api.serve(endpoints.openPosition, async ({ caller, body, now, requestId }) => ({
    position: await openPosition(deps, caller, body, { now, requestId }),
  }))
  api.serve(endpoints.closePosition, async ({ caller, body, now, requestId }) => ({
    position: await closePosition(deps, caller, body, { now, requestId }),
  }))
}
