/**
 * Keeps prices that look wrong off the record (ADR 0076). Every price that is asked for to be recorded, or to be compared with, comes
 * through here.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Quote } from '../provider/provider.ts'
import { isSuspect, isWithinDay, looksLikeSplit } from './suspect-price.ts'
import {
  endSuspicion,
  findKnownPrice,
  insertSuspect,
  isSuspected,
  type KnownPrice,
  lockSuspect,
  type SuspectPrice,
  updateAccepted,
  updateNotified,
} from './suspect-prices.queries.ts'

const ASKED_AGAIN_AFTER_MS = 1000
/** A price that looked wrong is right when it is still quoted after so long. */
const RELEASED_AFTER_MS = 600_000
const DAY_MS = 86_400_000

type Asked = { symbol: string; traderId: string | null }
/** `pipelined` for reads. */
type JudgeDeps = { db: Queryable; pipelined: Queryable }
/** `known`: the newest plausible price. */
export type Judged =
  | { quote: Quote; suspect: false }
  | { quote: Quote; suspect: true; known: KnownPrice | null }

/**
 * Asks for a price, and once more after a second where it looks wrong.
 * @param asked.traderId whose active position in the symbol has a known price too; null for nobody's
 * @param ask throws when there is no price, as this then does
 */
export async function askPlausible(
  deps: JudgeDeps,
  asked: Asked,
  ask: () => Promise<Quote>,
  now: Date,
): Promise<Judged> {
  const first = await ask()
  const known = await findKnownPrice(deps.pipelined, asked, now)
  // Every price of the ticker is another company's, not that of the trader's position (ADR 0082).
  if (known?.lost) return { quote: first, suspect: true, known }
  if (!isSuspect(first, known?.price ?? null)) return findPlausible(deps, asked.symbol, first)
  await pause(ASKED_AGAIN_AFTER_MS)
  return judgeQuote(deps, { ...asked, known }, await ask(), now)
}

/** Judges a quote, and remembers one that looks wrong; the operator is notified of it once a day. */
async function judgeQuote(
  deps: JudgeDeps,
  { known, symbol }: { symbol: string; known: KnownPrice | null },
  quote: Quote,
  now: Date,
): Promise<Judged> {
  if (!isSuspect(quote, known?.price ?? null)) return findPlausible(deps, symbol, quote)
  const released = await withTransaction(deps.db, (tx) => noteSuspect(tx, { symbol, quote, known }, now))
  return released ? { quote, suspect: false } : { quote, suspect: true, known }
}

/** Forgets an earlier price that looked wrong: a later one that looks wrong must not count as the second quote that agrees with it. */
async function findPlausible(deps: JudgeDeps, symbol: string, quote: Quote): Promise<Judged> {
  if (await isSuspected(deps.pipelined, symbol)) await endSuspicion(deps.db, symbol)
  return { quote, suspect: false }
}

/** As `judgeQuote`, for those that look at a symbol for nobody. */
export async function judgeQuoteOf(db: Queryable, symbol: string, quote: Quote, now: Date): Promise<Judged> {
  return judgeQuote(
    { db, pipelined: db },
    { symbol, known: await findKnownPrice(db, { symbol, traderId: null }, now) },
    quote,
    now,
  )
}

/** @returns whether the price is released, since it has been quoted for long enough */
async function noteSuspect(
  tx: Queryable,
  { known, quote, symbol }: { symbol: string; quote: Quote; known: KnownPrice | null },
  now: Date,
): Promise<boolean> {
  await insertSuspect(tx, { symbol, price: quote.price }, now)
  const row = await lockSuspect(tx, symbol)
  if (row.since && agrees(row, quote)) {
    const isOld = now.getTime() - row.since.getTime() >= RELEASED_AFTER_MS
    if (isOld && !(known && looksLikeSplit(quote.price, known.price))) {
      await updateAccepted(tx, { symbol, price: quote.price }, now)
      return true
    }
  } else await insertSuspect(tx, { symbol, price: quote.price, again: true }, now)
  await notifyOperator(tx, row, quote, now)
  return false
}

/** Both prices lie within the high and the low of the newer quote's day. */
function agrees({ price }: SuspectPrice, quote: Quote): boolean {
  return isWithinDay(price, quote) && isWithinDay(quote.price, quote)
}

async function notifyOperator(tx: Queryable, row: SuspectPrice, quote: Quote, now: Date): Promise<void> {
  const today = new Date(Math.floor(now.getTime() / DAY_MS) * DAY_MS).toISOString().slice(0, 10)
  if (row.notifiedOn === today) return
  await updateNotified(tx, row.symbol, today)
  const facts = {
    subject: `the price of ${row.symbol} looks wrong`,
    text: `The provider says ${quote.price} for ${row.symbol}. Nothing is opened or settled at it.\n\nAfter a split: npm run operator -- positions:adjust split. If the price is right: npm run operator -- prices:accept ${row.symbol}.\n`,
  }
  const cause = `suspect:${row.symbol}`
  await queueMail(tx, { kind: 'operator_notice', userId: null, cause, facts }, now)
}
