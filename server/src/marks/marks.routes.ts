import { endpoints } from '@tradepost/contract/endpoints'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import type { FindPositions } from '../positions/list/list-positions.ts'
import { readMarks } from './read-marks.ts'

export function marksRoutes(
  api: EndpointRegistry,
  deps: { db: Queryable; findPositions: FindPositions },
): void {
  api.serve(endpoints.marks, ({ caller, now }) => readMarks(deps, caller, now))
}
