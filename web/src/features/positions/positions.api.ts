import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { MAIN_SCREEN_TOAST_MS, POSITIONS_FRESH_MS } from '@tradepost/contract/limits'
import { MARKS_ASKED_EVERY_MS } from '@tradepost/contract/marks'
import { positionEndpoints } from '@tradepost/contract/position-endpoints'
import type { ClosePayload, OpenPayload, Position } from '@tradepost/contract/positions'
import type { PricePreview } from '@tradepost/contract/quotes'
import { call } from '../../lib/api.ts'
import { makeStale, triedOnce } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'

/** What an open or a close changes: the list, and the records counted from it (their keys begin with this word). */
const CHANGED_BY_TRADING = ['positions']

/** The viewer's active positions and those of the traders followed; one try (docs/specification.md section 9). */
export const positionsQuery = queryOptions({
  queryKey: [...CHANGED_BY_TRADING, 'list'],
  queryFn: async ({ signal }) => (await call(positionEndpoints.positions, undefined, signal)).positions,
  ...triedOnce(POSITIONS_FRESH_MS),
})

/** What the symbols of the list cost now. The next question is the retry; without a network none is sent. */
export const marksQuery = queryOptions({
  queryKey: [...CHANGED_BY_TRADING, 'marks'],
  queryFn: async ({ signal }) => (await call(positionEndpoints.marks, undefined, signal)).marks,
  retry: false,
  networkMode: 'online',
  staleTime: MARKS_ASKED_EVERY_MS,
})

/** Asks the price of a ticker; the answer's key goes with the following open or close. */
export function previewPrice(symbol: string): Promise<PricePreview> {
  return call(positionEndpoints.preview, { symbol })
}

/** Opens a position, puts it into the list at once, if there is one (decision G-58), and says so. */
export function useOpenPosition() {
  const changeList = useListChange()
  return useMutation({
    mutationFn: async (payload: OpenPayload) =>
      (await call(positionEndpoints.openPosition, payload)).position,
    onSuccess: async (opened) => {
      await changeList((positions) => [...positions.filter(({ id }) => id !== opened.id), opened])
      toast.success(`A position for ${opened.stock.toUpperCase()} has been opened!`, {
        duration: MAIN_SCREEN_TOAST_MS,
      })
    },
  })
}

/** Closes a position, takes it out of the list at once, and says so. */
export function useClosePosition() {
  const changeList = useListChange()
  return useMutation({
    mutationFn: async (payload: ClosePayload) =>
      (await call(positionEndpoints.closePosition, payload)).position,
    onSuccess: async (closed) => {
      await changeList((positions) => positions.filter(({ id }) => id !== closed.id))
      toast.success(`Position for ${closed.stock.toUpperCase()} has been closed!`, {
        duration: MAIN_SCREEN_TOAST_MS,
      })
    },
  })
}

/**
 * Changes the loaded list, then lets it and everything counted from it refresh. A list still on its way was asked
 * before the change and is called off, or it would undo it.
 */
function useListChange() {
  const client = useQueryClient()
  return async (change: (positions: Position[]) => Position[]): Promise<void> => {
    await client.cancelQueries({ queryKey: positionsQuery.queryKey })
    client.setQueryData(positionsQuery.queryKey, (positions) => positions && change(positions))
    void makeStale(client, CHANGED_BY_TRADING)
  }
}
