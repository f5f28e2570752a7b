import { queryOptions } from '@tanstack/react-query'
import { POSITIONS_FRESH_MS } from '@tradepost/contract/limits'
import { MARKS_ASKED_EVERY_MS } from '@tradepost/contract/marks'
import { positionEndpoints } from '@tradepost/contract/position-endpoints'
import { call } from '../../lib/api.ts'
import { triedOnce } from '../../lib/query-client.ts'

/** The data that an open or a close changes: the list, and the records counted from it (their keys begin with this word). */
export const CHANGED_BY_TRADING = ['positions']

/** The viewer's active positions and those of the traders followed; one try (docs/specification.md section 9). */
export const positionsQuery = queryOptions({
  queryKey: [...CHANGED_BY_TRADING, 'list'],
  queryFn: async ({ signal }) => (await call(positionEndpoints.positions, undefined, signal)).positions,
  ...triedOnce(POSITIONS_FRESH_MS),
})

/** The present prices of the list's symbols. The next question is the retry; without a network none is sent. */
export const marksQuery = queryOptions({
  queryKey: [...CHANGED_BY_TRADING, 'marks'],
  queryFn: async ({ signal }) => (await call(positionEndpoints.marks, undefined, signal)).marks,
  retry: false,
  networkMode: 'online',
  staleTime: MARKS_ASKED_EVERY_MS,
})
