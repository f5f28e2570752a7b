/**
 * Gives unsettled closes their price (ADR 0076): that of the first trade after the close which the product itself has asked for. A
 * sweep over positions; any number of workers may run it, and one that dies leaves what it had claimed to the next minute.
 */
import { percentageGain } from '@tradepost/contract/gain'
import { isPastPlan } from '@tradepost/contract/kept-plan'
import { mayTrade } from '@tradepost/contract/market-hours'
import { normaliseSymbol } from '@tradepost/contract/symbol'
import { tradingDaysBetween } from '@tradepost/contract/trading-day'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import { judgeQuoteOf } from '../../quotes/prices/judge-price.ts'
import { askTwice, type PriceProvider, type Quote } from '../../quotes/provider/provider.ts'
import type { Calls } from '../../quotes/provider/take-call.ts'
import { countSettled } from '../record/stats.queries.ts'
import {
  claimUnsettled,
  listUnsettled,
  lockUnsettled,
  type UnsettledClose,
  updateSettled,
} from './settle-closes.queries.ts'

type SettleDeps = {
  db: Queryable
  calls: Pick<Calls, 'take'>
  log: Log
  provider: PriceProvider
  settings: Settings
}
type Settlement = { price: string; at: Date; by: 'trade' | 'last_price' | 'operator' }

/** Of one symbol. */
const ASK_EVERY_MS = 60_000
/** Of a sweep, which has the next ones twenty seconds later. */
const SYMBOLS_AT_ONCE = 10
const POSITIONS_AT_ONCE = 500
/** Session days without a trade after which the operator is notified, and after which the last price counts. */
const NOTIFIED_AFTER_SESSIONS = 3
const LAST_PRICE_AFTER_SESSIONS = 10

const NAME = 'unsettled closes'

export function settleCloses(deps: SettleDeps): Sweep {
  return { name: NAME, run: (now) => settleDue(deps, now) }
}

async function settleDue(deps: SettleDeps, now: Date): Promise<void> {
  if (!mayTrade(now, deps.settings.marketOverride)) return
  const askedBefore = new Date(now.getTime() - ASK_EVERY_MS)
  const due = await listUnsettled(deps.db, { askedBefore, limit: POSITIONS_AT_ONCE })
  const bySymbol = Map.groupBy(due, ({ symbol }) => normaliseSymbol(symbol))
  const symbols = [...bySymbol].slice(0, SYMBOLS_AT_ONCE)
  // At once: a provider that does not answer keeps nobody waiting for longer than one of its time-outs.
  await Promise.all(symbols.map(([symbol, closes]) => settleSymbol(deps, { symbol, closes }, now)))
}

async function settleSymbol(
  deps: SettleDeps,
  { closes, symbol }: { symbol: string; closes: readonly UnsettledClose[] },
  now: Date,
): Promise<void> {
  const claimed: UnsettledClose[] = []
  for (const close of closes)
    await alone(deps, async () => void ((await claim(deps.db, close, now)) && claimed.push(close)))
  if (claimed.length === 0) return
  const quote = await askTrade(deps, symbol, now)
  for (const close of claimed) {
    const settlement = judge(close, quote, now)
    if (settlement) await alone(deps, () => settle(deps.db, close, settlement, now))
  }
}

/** Asks for the last trade in a symbol. @returns null where no call is left, the provider does not answer or does not know the symbol, and for a price that looks wrong */
export async function askTrade(
  { calls, db, provider }: Pick<SettleDeps, 'calls' | 'db' | 'provider'>,
  symbol: string,
  now: Date,
): Promise<Quote | null> {
  const ask = async (signal: AbortSignal) =>
    (await calls.take('settlement')) ? provider.quote(symbol, signal) : null
  const answer = await askTwice(ask).catch(() => null)
  if (answer === null || answer === 'unknown symbol') return null
  const judged = await judgeQuoteOf(db, symbol, answer, now)
  return judged.suspect ? null : judged.quote
}

/** A close that fails has the next minute, and keeps none of the others. */
async function alone({ log }: SettleDeps, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ sweep: NAME, reason: reasonOf(error) }, 'a close could not be settled')
  }
}

/**
 * Only one worker claims a close for a minute. The first claim after the third session day notifies the operator, in the same transaction.
 */
function claim(db: Queryable, close: UnsettledClose, now: Date): Promise<boolean> {
  return withTransaction(db, async (tx) => {
    if (!(await claimUnsettled(tx, close, now))) return false
    const isNotified =
      tradingDaysBetween(close.closedAt, close.askedAt ?? close.closedAt) >= NOTIFIED_AFTER_SESSIONS
    if (!isNotified && tradingDaysBetween(close.closedAt, now) >= NOTIFIED_AFTER_SESSIONS)
      await notifyOperator(tx, close, now)
    return true
  })
}

function notifyOperator(tx: Queryable, { id, symbol }: UnsettledClose, now: Date): Promise<void> {
  const facts = {
    subject: `${symbol} has not traded since a position was closed`,
    text: `A position in ${symbol} was closed ${NOTIFIED_AFTER_SESSIONS} session days ago, and there has been no trade since: ${id}\n\nIf the share is no longer traded: npm run operator -- positions:adjust delisting. After ${LAST_PRICE_AFTER_SESSIONS} session days the last price counts.\n`,
  }
  return queueMail(tx, { kind: 'operator_notice', userId: null, cause: `unsettled:${id}`, facts }, now)
}

/** @returns null while it stays unsettled */
function judge(close: UnsettledClose, quote: Quote | null, now: Date): Settlement | null {
  if (quote && !close.tickerLost && quote.at > close.closedAt)
    return { price: quote.price, at: quote.at, by: 'trade' }
  if (tradingDaysBetween(close.closedAt, now) < LAST_PRICE_AFTER_SESSIONS) return null
  return { price: close.closePrice, at: now, by: 'last_price' }
}

/**
 * Writes the price of an unsettled close, counts it unless it is struck, and publishes that, unless somebody else has.
 * @returns whether it was this call
 */
export function settle(
  db: Queryable,
  key: { traderId: string; id: string },
  settlement: Settlement,
  now: Date,
): Promise<boolean> {
  return withPublishing(db, key.traderId, async (tx) => {
    const position = await lockUnsettled(tx, key)
    if (!position) return false
    // A last price may have been split or set right while the market was asked.
    const price = settlement.by === 'last_price' ? position.closePrice : settlement.price
    const gain = percentageGain(position.openPrice, price)
    await updateSettled(tx, key, { ...settlement, price, percentageGain: gain })
    if (position.struckAt === null)
      await countSettled(tx, key.traderId, { gain, kept: !isPastPlan(position, position.closedAt) })
    await publishEvent(
      tx,
      { traderId: key.traderId, positionId: key.id, kind: 'settled', requestId: null },
      now,
    )
    return true
  })
}
