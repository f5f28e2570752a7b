import { type Query, useQuery } from '@tanstack/react-query'
import type { Mark } from '@tradepost/contract/marks'
import { MARKS_ASKED_EVERY_MS } from '@tradepost/contract/marks'
import { PRICE_DELAY_MS } from '@tradepost/contract/price-rights'
import { useCallback, useMemo } from 'react'
import { formatAge } from '../../lib/format.ts'
import { useNow } from '../../lib/use-now.ts'
import { marksQuery } from './positions.api.ts'

const MINUTE_MS = 60_000

export type Marks = {
  /** By symbol; null before the first answer. */
  bySymbol: ReadonlyMap<string, Mark> | null
  /** There is no answer, and the last question failed. */
  failed: boolean
  /** The instant of ages, renewed when one of them changes. */
  now: Date
}

/**
 * The present values of the listed positions.
 * @param asks whether to ask again every half minute, while the page is visible; one part of a screen does
 */
export function useMarks(asks: boolean): Marks {
  const { data, isError } = useQuery({
    ...marksQuery,
    refetchInterval: asks && untilNextAsk,
  })
  const nextChange = useCallback((now: Date) => nextAge(data ?? [], now), [data])
  const now = useNow(nextChange)
  return useMemo(() => {
    const bySymbol = data ? new Map(data.map((mark) => [mark.symbol, mark])) : null
    return { bySymbol, failed: isError && bySymbol === null, now }
  }, [data, isError, now])
}

/** As often as a question that is due is tried again, where it could not be sent. */
const DUE_AGAIN_MS = 1000

/**
 * How long until the marks are asked for again, ms: counted from the last answer. The library begins its interval again at every
 * change of the data, and the prices that the feed brings, of some symbols, would put off the question for all others as long as they come.
 */
function untilNextAsk({ state }: Pick<Query, 'state'>): number {
  const due = Math.max(state.dataUpdatedAt, state.errorUpdatedAt) + MARKS_ASKED_EVERY_MS
  return Math.min(MARKS_ASKED_EVERY_MS, Math.max(DUE_AGAIN_MS, due - Date.now()))
}

/** When a mark becomes a minute old, or else the next minute of the clock. */
function nextAge(marks: readonly Mark[], now: Date): Date {
  const minute = (Math.floor(now.getTime() / MINUTE_MS) + 1) * MINUTE_MS
  const turns = marks.map(({ at }) => Date.parse(at ?? '') + MINUTE_MS).filter((turn) => turn > now.getTime())
  return new Date(Math.min(minute, ...turns))
}

/** A late price of up to this age is one of 15 minutes ago: it was looked up in a round, and waits for the next question of the page. */
const LATE_AGE_MAX_MS = PRICE_DELAY_MS + 5 * MINUTE_MS
const LATE_AGE = '15 min'

/** How old the price of now is, in short: null under a minute, unless the server has not looked for longer. A late one is 15 minutes old. */
export function markAge({ bySymbol, now }: Marks, stock: string): string | null {
  const mark = bySymbol?.get(stock)
  if (!mark?.at) return null
  if (mark.rights === 'delayed' && now.getTime() - Date.parse(mark.at) < LATE_AGE_MAX_MS) return LATE_AGE
  return formatAge(mark.at, now) ?? (mark.state === 'aged' ? '1 min' : null)
}

/** Whether a price is as late as prices are shown, and not older. @param age of `markAge` */
export function isLate(mark: Mark | undefined, age: string | null): boolean {
  return mark?.rights === 'delayed' && age === LATE_AGE
}

/** The rights to prices that the list is shown with: the same for all symbols. */
export function rightsOf({ bySymbol }: Marks): Mark['rights'] {
  return bySymbol?.values().next().value?.rights
}
