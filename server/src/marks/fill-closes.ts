import { setTimeout as pause } from 'node:timers/promises'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { askTwice, type PriceProvider } from '../quotes/provider/provider.ts'
import { listGaps, listWantedDays } from './closes.queries.ts'
import { addCloses, dayOf, lastClosedDay } from './record-closes.ts'

const DAY_MS = 86_400_000
/** Days that one call may ask for. */
const SPAN_DAYS = 365
const DEADLINE_MS = 10_000

type FillDeps = {
  db: Queryable
  provider: PriceProvider
  clock: Clock
  perMinute: number
  indexSymbol: string
}

/**
 * Asks a provider with a history for the closes that are missing while somebody held a symbol, and for those of the index. Known closes
 * stay; a run that was cut off is run again.
 * @returns a sentence with the counts
 * @throws when the provider does not answer, with how far it came
 */
export async function fillCloses(deps: FillDeps, now: Date): Promise<string> {
  let filled = 0
  for (const wanted of await listWantedDays(deps.db, deps.indexSymbol, lastClosedDay(now))) {
    for (const span of spansOf(await listGaps(deps.db, wanted))) {
      const closes = await askTwice(
        (signal) => deps.provider.closes(normaliseSymbol(wanted.symbol), span, signal),
        DEADLINE_MS,
      ).catch((error: unknown) => {
        const reason = error instanceof Error ? error.message : 'unknown'
        throw new Error(`The provider did not answer (${reason}) after ${filled} closes. Run it again later.`)
      })
      if (closes === 'no past')
        return `This provider has no past prices for this key. Filled ${filled}; curves begin on the first day with prices.`
      // It takes long, and a night's run may come between: each answer is known from its own instant on.
      const answeredAt = deps.clock.now()
      // Finnhub's days are adjusted for splits up to the day of the question.
      const origin = { late: true, sharesOf: dayOf(answeredAt) }
      filled += await addCloses(deps.db, wanted.symbol, closes, origin, answeredAt)
      await pause(60_000 / deps.perMinute)
    }
  }
  return `Filled ${filled} closes.`
}

/** Parts of a year at most, from the first missing day to the last. @param days in order, as `2026-11-18` */
function spansOf(days: string[]): { from: string; until: string }[] {
  const spans: { from: string; until: string }[] = []
  for (const day of days) {
    const open = spans.at(-1)
    if (open && Date.parse(day) - Date.parse(open.from) < SPAN_DAYS * DAY_MS) open.until = day
    else spans.push({ from: day, until: day })
  }
  return spans
}
