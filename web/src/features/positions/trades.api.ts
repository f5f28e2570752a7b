import { useMutation, useQueryClient } from '@tanstack/react-query'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import type { ClosePayload, OpenPayload, Position } from '@tradepost/contract/positions'
import type { PricePreview } from '@tradepost/contract/quotes'
import { tradeEndpoints } from '@tradepost/contract/trade-endpoints'
import { call } from '../../lib/api.ts'
import { makeStale } from '../../lib/query-client.ts'
import { toast } from '../../ui/toast.ts'
import { CHANGED_BY_TRADING, positionsQuery } from './positions.api.ts'

/** Asks the price of a ticker; the answer's key goes with the following open or close. */
export function previewPrice(symbol: string): Promise<PricePreview> {
  return call(tradeEndpoints.preview, { symbol })
}

/** Opens a position, puts it into the list at once, if there is one (decision G-58), and says so. */
export function useOpenPosition() {
  const changeList = useListChange()
  return useMutation({
    mutationFn: async (payload: OpenPayload) => (await call(tradeEndpoints.openPosition, payload)).position,
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
    mutationFn: async (payload: ClosePayload) => (await call(tradeEndpoints.closePosition, payload)).position,
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
