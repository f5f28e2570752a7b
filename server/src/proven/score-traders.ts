/**
 * The night's work behind the leaderboards (ADR 0053 and 0055): the days of all traders since the run before, those that
 * have changed since, and a small curve and a score for each. It reads and writes traders by the page, so that no statement takes
 * long, and shows no score until all are done; a run that was cut off is run again, and computes no day again that it had committed.
 */
import { HOLD_SESSIONS } from '@tradepost/contract/kept-plan'
import { type Queryable, withTransaction } from '../platform/database/queryable.ts'
import { computeDays, type DaysDeps } from './compute-days.ts'
import { listSessions, planForLists } from './days.queries.ts'
import { BEFORE_ALL, inPages, startPace } from './in-pages.ts'
import { type DaySums, FORMULA, scoreTraders, WINDOW_SESSIONS } from './score.ts'
import { deleteOldScores, endRun, listSuspended, sumDays, upsertScores } from './scores.queries.ts'
import { deleteSparklinesBeyond, listBestTraderIds, redrawSparklines } from './sparklines.queries.ts'

/** Rows of one statement. */
const PAGE = 500
/** Ten times those whom the leaderboard shows. */
const SPARKLINES_COUNT = 1000

/** @returns the run's day and count of traders; null as long as no session has one before it */
export async function scoreAllTraders(
  deps: DaysDeps,
  now: Date,
): Promise<{ asOf: string; traders: number } | null> {
  const { db, indexSymbol } = deps
  // Today's positions can still be closed, so today is no part of it.
  const sessions = await listSessions(db, { indexSymbol, before: dayOf(now) })
  const asOf = sessions.at(-1)?.day
  if (!asOf) return null
  await computeDays(deps, sessions, now)
  const counted = {
    sessions: sessions.slice(-WINDOW_SESSIONS),
    holdSessions: HOLD_SESSIONS,
    now,
  }
  const sums = new Map<string, DaySums>()
  await inPages(db, { after: BEFORE_ALL, pace: startPace() }, async (tx, page) => {
    for (const ofTrader of await sumDays(tx, page, counted)) sums.set(ofTrader.traderId, ofTrader)
  })
  await drawSparklines(
    db,
    counted.sessions.map(({ day }) => day),
  )
  await storeScores(db, asOf, [...sums.values()])
  await endRun(db, { asOf, formula: FORMULA, traders: sums.size }, now)
  while ((await deleteOldScores(db, asOf, PAGE)) > 0);
  return { asOf, traders: sums.size }
}

/** Of those who stand on the leaderboard, or may come onto it within the day, also by being restored. @param days of the sessions that are drawn */
async function drawSparklines(db: Queryable, days: readonly string[]): Promise<void> {
  const best = [
    ...(await listBestTraderIds(db, { limit: SPARKLINES_COUNT, suspended: false })),
    ...(await listBestTraderIds(db, { limit: SPARKLINES_COUNT, suspended: true })),
  ]
  for (let at = 0; at < best.length; at += PAGE)
    await withTransaction(db, async (tx) => {
      await planForLists(tx)
      await redrawSparklines(tx, best.slice(at, at + PAGE), days)
    })
  await deleteSparklinesBeyond(db, best)
}

async function storeScores(db: Queryable, asOf: string, sums: readonly DaySums[]): Promise<void> {
  const scores = scoreTraders(sums, await listSuspended(db))
  for (let at = 0; at < scores.length; at += PAGE) await upsertScores(db, asOf, scores.slice(at, at + PAGE))
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}
