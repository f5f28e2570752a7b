import { makeListeners } from './listeners.ts'

/*
 * The server's time. A device's clock may be wrong, by minutes or by years, and may be set while a page is open; the server's answers
 * contain the time there. Rules of the market and ages go by that.
 */

/** Clocks that are this close count as equal: answers give whole seconds, and take time to arrive. */
const TOLERATED_MS = 10_000

/** By how much the server's clock is ahead of this device's. */
let aheadMs = 0
const listeners = makeListeners()

/** The present instant by the server's clock, as far as it is known. */
export function serverNow(): Date {
  return new Date(Date.now() + aheadMs)
}

/** An instant of the server's clock by this device's. @param iso ISO 8601 @returns ms */
export function atHere(iso: string): number {
  return Date.parse(iso) - aheadMs
}

/**
 * Records the time that the server has sent.
 * @param sent a header `Date` or ISO 8601; any other text is ignored
 * @param since a moment before it was sent, ms of this device's clock: it may have been on its way, or waited while a machine slept
 */
export function noteServerTime(sent: string | null, since: number): void {
  const at = Date.parse(sent ?? '')
  if (Number.isNaN(at)) return
  const least = at - Date.now()
  // The clock may have been put back meanwhile.
  const most = Math.max(least, at - since) + 1000
  if (isBetween(aheadMs, least, most)) return
  aheadMs = isBetween(0, least, most) ? 0 : (least + most) / 2
  listeners.call()
}

function isBetween(ahead: number, least: number, most: number): boolean {
  return ahead >= least - TOLERATED_MS && ahead <= most + TOLERATED_MS
}

/** @param listener called when the time has turned out to be another one @returns ends it */
export function onTimeCorrected(listener: () => void): () => void {
  return listeners.add(listener)
}
