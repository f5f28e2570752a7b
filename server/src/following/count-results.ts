/** The formula of rule G-110: what the closed positions of traders have brought somebody who followed them. Nothing here reads or writes. */
import { gainNumber, percentageGain } from '@tradepost/contract/gain'
import Big from 'big.js'
import type { Span } from '../billing/entitlements/entitled-events.ts'
import type { LastClose, ToldClose } from './following.queries.ts'

/** Decimal places of a stored price, to which a split rounds it (ADR 0013 and rule G-47). */
const PRICE_DECIMALS = 6
const GAIN_DECIMALS = 12
/** Of a position that was published before events were kept. */
const BEFORE_ALL = 0

/**
 * Where a position begins to count: at its opening for somebody who was told of it, else at the price of when they began to follow. `day`: of the
 * price, as `2026-11-18`.
 */
export type Start = { price: string; day: string; from: 'opening' | 'quote' | 'close' | 'opening before' }

/** A closed position as it counts. `gain` and `index` are percent, decimal texts; `index` is null where a day of it is unknown. */
export type Counted = { closedAt: Date; gain: string; index: string | null; isFromClose: boolean }

export type Results = { closed: number; mean: number | null; won: number; index: number | null }

/** The first window in which a position was held that was opened outside of all windows; null for one that was opened in one. */
export function firstHeldIn(
  { openedNo }: Pick<ToldClose, 'openedNo'>,
  windows: readonly Span[],
): Span | null {
  const opened = openedNo ?? BEFORE_ALL
  if (openedNo !== null && windows.some(({ from, to }) => from <= opened && opened < to)) return null
  return windows.find(({ from }) => from > opened) ?? null
}

/** Whether the last close before following began is needed: no price of that moment is noted. */
export function needsLastClose(close: ToldClose, windows: readonly Span[]): boolean {
  return firstHeldIn(close, windows) !== null && (close.noted?.price ?? null) === null
}

/** @param lastClose the last one before following began, if any is known */
export function startOf(close: ToldClose, windows: readonly Span[], lastClose: LastClose | undefined): Start {
  const opening = { price: close.openPrice, day: dayOf(close.openedAt) }
  if (firstHeldIn(close, windows) === null) return { ...opening, from: 'opening' }
  const { noted, splits } = close
  if (noted?.price) {
    const day = dayOf(new Date(noted.at))
    return { price: inNewShares({ price: noted.price, sharesOf: day }, splits), day, from: 'quote' }
  }
  if (!lastClose) return { ...opening, from: 'opening before' }
  const { close: price, day, sharesOf } = lastClose
  return { price: inNewShares({ price, sharesOf }, splits), day, from: 'close' }
}

/** A price of one of the shares of a day, in those of now: each split since rounds as it rounded the opening price. */
function inNewShares(
  { price, sharesOf }: { price: string; sharesOf: string },
  splits: ToldClose['splits'],
): string {
  return splits
    .filter(({ day }) => day > sharesOf)
    .reduce(
      (counted, { newShares, oldShares }) =>
        counted.times(oldShares).div(newShares).round(PRICE_DECIMALS, Big.roundHalfUp),
      new Big(price),
    )
    .toFixed()
}

/** @param indexAt closes of the index by day, as `findIndexCloses` answers them */
export function countClose(close: ToldClose, start: Start, indexAt: ReadonlyMap<string, string>): Counted {
  const [first, last] = [indexAt.get(start.day), indexAt.get(dayOf(close.closedAt))]
  return {
    closedAt: close.closedAt,
    gain: percentageGain(start.price, close.closePrice),
    index: first === undefined || last === undefined ? null : percentageGain(first, last),
    isFromClose: start.from === 'close' || start.from === 'opening before',
  }
}

/** Means over the same positions, each as much as any other. */
export function summarise(counted: readonly Counted[]): Results {
  return {
    closed: counted.length,
    mean: meanOf(counted.map(({ gain }) => gain)),
    won: counted.filter(({ gain }) => new Big(gain).gt(0)).length,
    index: meanOf(counted.flatMap(({ index }) => index ?? [])),
  }
}

function meanOf(percents: readonly string[]): number | null {
  if (percents.length === 0) return null
  const sum = percents.reduce((total, percent) => total.plus(percent), new Big(0))
  return gainNumber(sum.div(percents.length).round(GAIN_DECIMALS, Big.roundHalfUp).toFixed())
}

/** The UTC day of an instant. */
export function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
