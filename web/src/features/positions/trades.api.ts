import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { RefusalCode } from '@tradepost/contract/errors'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { positionEndpoints } from '@tradepost/contract/position-endpoints'
import type { ClosePayload, OpenPayload, Position } from '@tradepost/contract/positions'
import { type PricePreview, pricePreview } from '@tradepost/contract/quotes'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { tradeEndpoints } from '@tradepost/contract/trade-endpoints'
import { useRef } from 'react'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { makeStale } from '../../lib/query-client.ts'
import { forgetDraft } from '../../lib/use-draft.ts'
import { toast } from '../../ui/toast.ts'
import type { OpenDraft } from './position-rules.ts'
import { isOwn } from './position-tabs.ts'
import { CHANGED_BY_TRADING, positionsQuery } from './positions.api.ts'

/** Under which name what is typed on /trade waits. */
export const OPEN_DRAFT = 'open'

/** Under which name the notes of a close wait. */
export function closeDraft({ id }: Pick<Position, 'id'>): string {
  return `close ${id}`
}

/** Asks the price of a ticker; the answer's key goes with the following open or close. */
export function previewPrice(symbol: string): Promise<PricePreview> {
  return call(tradeEndpoints.preview, { symbol })
}

/**
 * The price and its key that a refusal brings: that of now where it has moved (ADR 0075), the last plausible one for a trader with
 * a ticker that has no price of now (ADR 0076 and 0081). Null for any other error.
 */
export function movedPrice(error: unknown): PricePreview | null {
  return (error instanceof ApiRefusal && pricePreview.safeParse(error.answer).data) || null
}

/**
 * Opens a position, puts it into the list at once, if there is one (rule G-58), and shows a toast.
 * @param username the viewer's
 * @param onTaken called when it is open, before the draft is deleted
 */
export function useOpenPosition(username: string, onTaken: () => void) {
  const changeList = useListChange()
  return useMutation({
    mutationFn: async (payload: OpenPayload) => {
      try {
        return (await call(tradeEndpoints.openPosition, payload)).position
      } catch (error) {
        // A price works once (rule G-09): it opened the position at a try before this one, whose answer was lost.
        const opened = hasCode(error, 'preview_used') && (await findOwn(username, payload.symbol))
        if (!opened) throw error
        return opened
      }
    },
    onSuccess: async (opened, sent) => {
      await changeList((positions) => [...positions.filter(({ id }) => id !== opened.id), opened])
      onTaken()
      forgetDraft<OpenDraft>(OPEN_DRAFT, (draft) => isSent(draft, sent))
      toast.success(`A position for ${opened.stock.toUpperCase()} has been opened!`, {
        duration: MAIN_SCREEN_TOAST_MS,
      })
    },
  })
}

function isSent(draft: OpenDraft, sent: OpenPayload): boolean {
  const { openNotes, positionLength, ticker } = draft
  return (
    normaliseSymbol(ticker) === sent.symbol &&
    openNotes === sent.openNotes &&
    positionLength === sent.positionLength
  )
}

/**
 * The viewer's active position in a symbol as the server has it now; undefined when there is none, or no answer. Not asked
 * through the cache: the live feed calls off what the cache asks for.
 */
async function findOwn(username: string, symbol: string): Promise<Position | undefined> {
  const { positions } = await call(positionEndpoints.positions).catch(() => ({ positions: [] }))
  return positions.find((position) => position.stock === symbol && isOwn(position, username))
}

function hasCode(error: unknown, code: RefusalCode): error is ApiRefusal {
  return error instanceof ApiRefusal && error.code === code
}

/** Closes a position, takes it out of the list at once, and shows a toast. */
export function useClosePosition(position: Position) {
  const changeList = useListChange()
  const unanswered = useRef(false)
  return useMutation({
    async mutationFn(payload: ClosePayload): Promise<Pick<Position, 'id' | 'stock'>> {
      try {
        return (await call(tradeEndpoints.closePosition, payload)).position
      } catch (error) {
        // A try whose answer was lost, or that a server answered with a fault of its own, may have closed it.
        if (unanswered.current && hasCode(error, 'position_not_found')) return position
        unanswered.current ||= error instanceof ApiRefusal && !(error.status >= 400 && error.status < 500)
        throw error
      }
    },
    onSuccess: async (closed, { closeNotes }) => {
      await changeList((positions) => positions.filter(({ id }) => id !== closed.id))
      forgetDraft(closeDraft(position), (draft) => draft === closeNotes)
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
