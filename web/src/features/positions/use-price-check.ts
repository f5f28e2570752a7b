import type { PricePreview } from '@tradepost/contract/quotes'
import { useCallback, useRef, useState } from 'react'
import { serverNow } from '../../lib/server-time.ts'
import { movedPrice } from './trades.api.ts'

export type PriceCheck = {
  /** The last good answer, or null. */
  preview: PricePreview | null
  /** Until when it is held, in ms of the server's clock as this page knows it; null where that is not known. */
  heldUntil: number | null
  /** Why the last check failed, in the words for the price field, or null. */
  error: string | null
  checking: boolean
  /** The price that was held before and has moved, decimal text; null where `preview` comes of a check. */
  was: string | null
  check: (symbol: string) => void
  /**
   * Takes the price of now in the place of one that was used and has moved, unless that was given up meanwhile.
   * @param askedAt when it was used, in ms of this browser's clock
   */
  move: (used: PricePreview, now: PricePreview, askedAt: number) => void
  /** Forgets price and error, and the answer that may still be on its way (docs/specification.md section 4). */
  reset: () => void
}

type Result = Omit<PriceCheck, 'check' | 'move' | 'reset'>

const NOTHING: Result = { preview: null, heldUntil: null, error: null, checking: false, was: null }

/**
 * One price at a time: only the answer to the newest question counts, so a late one for a ticker that has been edited
 * since is dropped (rule G-46).
 * @param ask asks the server; throws when there is no price
 * @param describe the sentence for a failure
 */
export function usePriceCheck(
  ask: (symbol: string) => Promise<PricePreview>,
  describe: (error: unknown) => string,
): PriceCheck {
  const [result, setResult] = useState(NOTHING)
  const newest = useRef(0)

  const check = useCallback(
    async (symbol: string) => {
      newest.current += 1
      const question = newest.current
      setResult({ ...NOTHING, checking: true })
      // The time counts from the question, not from the answer, which takes time to arrive.
      const askedAt = Date.now()
      const answer = await ask(symbol).then(
        (preview) => held(preview, askedAt),
        (error: unknown): Result => {
          const last = movedPrice(error)
          return { ...(last ? held(last, askedAt) : NOTHING), error: describe(error) }
        },
      )
      if (question === newest.current) setResult(answer)
    },
    [ask, describe],
  )
  const move = useCallback((used: PricePreview, now: PricePreview, askedAt: number) => {
    setResult((before) => (before.preview === used ? { ...held(now, askedAt), was: used.price } : before))
  }, [])
  const reset = useCallback(() => {
    newest.current += 1
    setResult(NOTHING)
  }, [])
  return { ...result, check, move, reset }
}

function held(preview: PricePreview, askedAt: number): Result {
  const { expiresInSeconds } = preview
  // By what has passed here, not by the server's `expiresAt`: clocks that differ by seconds count as one.
  const since = serverNow().getTime() - (Date.now() - askedAt)
  const heldUntil = expiresInSeconds === undefined ? null : since + expiresInSeconds * 1000
  return { ...NOTHING, preview, heldUntil }
}
