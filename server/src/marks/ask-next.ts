import { type Queryable, withTransaction } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { notifyOfMarks } from '../platform/notify.ts'
import type { ProviderAnswer } from '../quotes/finnhub.ts'
import { judgeQuoteOf } from '../quotes/judge-price.ts'
import {
  clearFailures,
  type Due,
  endTurn,
  lockTurn,
  noteFailure,
  storeAnswer,
  takeOldest,
} from './asking.queries.ts'
import { recordClose } from './record-closes.ts'

const MINUTE_MS = 60_000

export type AskDeps = {
  db: Queryable
  /** One call to the provider, without a retry: every call is counted. @throws when there is no usable answer in time */
  ask(symbol: string): Promise<ProviderAnswer>
  /** Calls a minute of all processes together. */
  perMinute: number
  /** Aborted when the process ends: a call that fails then says nothing of the provider. */
  ending: AbortSignal
  log: Log
}

/**
 * Takes the next symbol that is to be asked, if it is somebody's turn and there is one (decision 0047). Turns of all processes
 * are at least a minute's share apart, and rarer while the provider fails.
 */
export function takeDue(
  { db, perMinute }: Pick<AskDeps, 'db' | 'perMinute'>,
  now: Date,
): Promise<Due | null> {
  return withTransaction(db, async (tx) => {
    const failures = await lockTurn(tx, now)
    if (failures === null) return null
    const due = await takeOldest(tx, now)
    if (due) await endTurn(tx, new Date(now.getTime() + pauseMs(perMinute, failures)))
    return due
  })
}

/** Asks about a symbol that was taken, and keeps what the provider says. Never throws for a provider that does not answer. */
export async function askAbout(deps: AskDeps, due: Due, clock: { now(): Date }): Promise<void> {
  const { db } = deps
  let answer: ProviderAnswer
  try {
    answer = await deps.ask(due.symbol)
  } catch (error) {
    if (deps.ending.aborted) return
    // Words of ours, which quote nothing that was received.
    const reason = error instanceof Error ? error.message : 'unknown'
    deps.log.warn({ symbol: due.symbol, reason }, 'the price provider did not answer about a mark')
    await noteFailure(db, due.symbol)
    return
  }
  const now = clock.now()
  const quote = answer === 'unknown symbol' ? null : answer
  await clearFailures(db)
  // What looks wrong is no mark and no close: whatever comes next would be judged by it.
  if (quote && (await judgeQuoteOf(db, due.symbol, quote, now)).suspect) return
  await storeAnswer(db, due.symbol, quote, now)
  await notifyOfMarks(db, due.symbol)
  if (due.closeOf !== null) await recordClose(db, { symbol: due.symbol, day: due.closeOf }, quote, now)
}

/** Between two calls: the budget's share, doubled by every failure in a row, to a minute at most. */
function pauseMs(perMinute: number, failures: number): number {
  const share = MINUTE_MS / perMinute
  return Math.max(share, Math.min(share * 2 ** Math.min(failures, 20), MINUTE_MS))
}
