import { type MarketOverride, mayTrade } from '@tradepost/contract/market-hours'
import { lateInstant, type PriceRights } from '@tradepost/contract/price-rights'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { DAY_MS, tradingDaysBetween } from '@tradepost/contract/trading-day'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import { notifyOfMarks } from '../platform/database/notify.ts'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import type { Log } from '../platform/log.ts'
import { judgeQuoteOf } from '../quotes/prices/judge-price.ts'
import { OddAnswer, type ProviderAnswer, type Quote } from '../quotes/provider/provider.ts'
import type { Calls } from '../quotes/provider/take-call.ts'
import {
  beginRound,
  clearFailures,
  type Due,
  endTurn,
  isHeld,
  keepLate,
  lockTurn,
  noteFailure,
  putBack,
  storeEmpty,
  storeQuote,
  takeNext,
} from './asking.queries.ts'
import { dayOf, recordClose } from './record-closes.ts'

const MINUTE_MS = 60_000
const NOTIFIED_ON_DAY = 2

export type AskDeps = {
  db: Queryable
  calls: Pick<Calls, 'take'>
  /** One call to the provider, without a retry: every call is counted. @throws when there is no usable answer in time */
  ask(symbol: string): Promise<ProviderAnswer>
  /** Calls a minute of all processes together. */
  perMinute: number
  marketOverride: MarketOverride
  /** Where prices are shown late, they are kept as long as they are needed. */
  priceRights: PriceRights
  /** Aborted when the process ends: a call that fails then is no failure of the provider. */
  ending: AbortSignal
  log: Log
}

/**
 * Takes the next symbol of the round that runs, or of the next one, if it is somebody's turn (ADR 0047 and 0087). Turns of all
 * processes are at least a minute's share apart, and rarer while the provider fails.
 */
export function takeDue(
  { db, marketOverride, perMinute }: Pick<AskDeps, 'db' | 'marketOverride' | 'perMinute'>,
  now: Date,
): Promise<Due | null> {
  return withTransaction(db, async (tx) => {
    const failures = await lockTurn(tx, now)
    if (failures === null) return null
    let due = await takeNext(tx, now)
    if (!due && (await beginRound(tx, now, mayTrade(now, marketOverride)))) due = await takeNext(tx, now)
    if (due) await endTurn(tx, new Date(now.getTime() + pauseMs(perMinute, failures)))
    return due
  })
}

/**
 * Asks about a symbol that was taken, and stores the provider's answer. One that an older position has in another spelling is asked about,
 * and judged, in today's spelling (rule G-44). Never throws for a provider that does not answer.
 */
export async function askAbout(deps: AskDeps, due: Due, clock: { now(): Date }): Promise<void> {
  const { db } = deps
  // Marks give way to people who check a price (ADR 0081).
  if (!(await deps.calls.take('mark'))) return putBack(db, due.symbol)
  const asked = normaliseSymbol(due.symbol)
  let answer: ProviderAnswer
  try {
    answer = await deps.ask(asked)
  } catch (error) {
    if (deps.ending.aborted) return
    // Words of ours, which quote nothing that was received.
    const reason = error instanceof Error ? error.message : 'unknown'
    deps.log.warn({ symbol: due.symbol, reason }, 'the price provider did not answer about a mark')
    await noteFailure(db, due.symbol, { ofProvider: !(error instanceof OddAnswer) })
    return
  }
  const now = clock.now()
  const quote = answer === 'unknown symbol' ? null : answer
  await clearFailures(db)
  // A price that looks wrong is no mark and no close: the next price would be judged by it.
  if (quote && (await judgeQuoteOf(db, asked, quote, now)).suspect) return
  if (quote) await store(deps, due, quote, now)
  else await noteEmpty(db, due.symbol, now)
  await notifyOfMarks(db, due.symbol)
  if (due.closeOf !== null) await recordClose(db, { symbol: due.symbol, day: due.closeOf }, quote, now)
}

async function store({ db, priceRights }: AskDeps, due: Due, quote: Quote, now: Date): Promise<void> {
  if (priceRights === 'delayed') await keepLate(db, due, quote, { now, needed: lateInstant(now) })
  await storeQuote(db, due, quote, now)
}

/** Notifies the operator of a ticker that somebody holds on the second session day without a price. */
async function noteEmpty(db: Queryable, symbol: string, now: Date): Promise<void> {
  const day = tradingDaysBetween(new Date(now.getTime() - DAY_MS), now) > 0 ? dayOf(now) : null
  await withTransaction(db, async (tx) => {
    const days = await storeEmpty(tx, { symbol, day }, now)
    if (days !== NOTIFIED_ON_DAY || !(await isHeld(tx, symbol))) return
    const facts = {
      subject: `${symbol} has no price`,
      text: `The provider has had no price of ${symbol} since yesterday, and somebody holds it.\n\nIf it has another ticker: npm run operator -- symbols:rename. If it is no longer traded: npm run operator -- positions:adjust delisted ${symbol} and what holders got for a share.\n`,
    }
    const cause = `noprice:${symbol}:${day}`
    await queueMail(tx, { kind: 'operator_notice', userId: null, cause, facts }, now)
  })
}

/** Between two calls: the budget's share, doubled by every failure in a row, to a minute at most. */
function pauseMs(perMinute: number, failures: number): number {
  const share = MINUTE_MS / perMinute
  return Math.max(share, Math.min(share * 2 ** Math.min(failures, 20), MINUTE_MS))
}
