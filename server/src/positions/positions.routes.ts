import { endpoints } from '@tradepost/contract/endpoints'
import type { ApiDoor } from '../platform/http/api-door.ts'
import { closePosition } from './close-position.ts'
import { listPositions } from './list-positions.ts'
import { openPosition, type PositionsDeps } from './open-position.ts'

export function positionsRoutes(door: ApiDoor, deps: PositionsDeps): void {
  door.serve(endpoints.positions, async ({ caller }) => ({ positions: await listPositions(deps, caller) }))
  door.serve(endpoints.openPosition, async ({ caller, body, now }) => ({
    position: await openPosition(deps, caller, body, now),
  }))
  door.serve(endpoints.closePosition, async ({ caller, body, now }) => ({
    position: await closePosition(deps, caller, body, now),
  }))
}
