/**
 * The night's work behind the leaderboards (decisions 0053 and 0055): the days of all traders since the run before, those that
 * have changed since, and a small curve and a score for each. It reads and writes traders by the page, so that no statement takes
 * long, and shows no score until all are done; a run that was cut off is run again from where the last whole one ended.
 */
import { HOLD_SESSIONS } from '@tradepost/contract/kept-plan'
import { type Queryable, withTransaction } from '../platform/database.ts'
import { listTraderIds } from '../positions/stats.queries.ts'
import {
  endDays,
  findLastRun,
  findNewIndexDay,
  listChanged,
  listSessions,
  planForLists,
  type Session,
} from './days.queries.ts'
import { type DaySums, FORMULA, scoreTraders, WINDOW_SESSIONS } from './score.ts'
import { deleteOldScores, endRun, listSuspended, sumDays, upsertScores } from './scores.queries.ts'
import { deleteSparklinesBeyond, listBestTraderIds, redrawSparklines } from './sparklines.queries.ts'
import { deleteDays, insertDays } from './trader-days.queries.ts'

const PAGE = 500
/** Ten times those whom the leaderboard shows. */
const SPARKLINES_COUNT = 1000
/** Sessions of one statement; a night has one. */
const SESSIONS_AT_ONCE = 10
const BEFORE_ALL = '00000000-0000-0000-0000-000000000000'
/** What was written during the run before, by a clock that may be behind, is looked at once more. */
const OVERLAP_MS = 3_600_000

/**
 * Version of what `trader_days` holds: 1 until it told apart what everybody may know of, 2 while the excess counted from opening prices
 * to closing prices, 3 while plans had other ends (decision 0086). Another one computes all days again.
 */
const DAYS_VERSION = 4

type ScoreDeps = { db: Queryable; indexSymbol: string }

/** @returns what was done; null as long as no session has one before it */
export async function scoreAllTraders(
  { db, indexSymbol }: ScoreDeps,
  now: Date,
): Promise<{ asOf: string; traders: number } | null> {
  // Today's positions can still be closed, so today is no part of it.
  const sessions = await listSessions(db, { indexSymbol, before: dayOf(now) })
  const asOf = sessions.at(-1)?.day
  if (!asOf) return null
  const from = await firstDayToDo(db, indexSymbol, sessions)
  const since = await changedSince(db)
  const counted = {
    sessions: sessions.slice(-WINDOW_SESSIONS),
    holdSessions: HOLD_SESSIONS,
    now,
  }
  const sums: DaySums[] = []
  for (let page = await listTraderIds(db, BEFORE_ALL, PAGE); page.length > 0; ) {
    const ofPage = await withTransaction(db, async (tx) => {
      await planForLists(tx)
      await updateDays(tx, { indexSymbol, sessions, from, since, now }, page)
      return sumDays(tx, page, counted)
    })
    sums.push(...ofPage)
    page = await listTraderIds(db, page.at(-1) ?? BEFORE_ALL, PAGE)
  }
  await drawSparklines(
    db,
    counted.sessions.map(({ day }) => day),
  )
  await storeScores(db, asOf, sums)
  await endRun(db, { asOf, formula: FORMULA, traders: sums.length }, now)
  await endDays(db, { asOf, version: DAYS_VERSION }, now)
  while ((await deleteOldScores(db, asOf, PAGE)) > 0);
  return { asOf, traders: sums.length }
}

async function changedSince(db: Queryable): Promise<Date> {
  const last = await findLastRun(db, DAYS_VERSION)
  return new Date((last?.ranAt.getTime() ?? 0) - OVERLAP_MS)
}

/** The first day that all traders need; after the last one when the run before has done them all. */
async function firstDayToDo(
  db: Queryable,
  indexSymbol: string,
  sessions: readonly Session[],
): Promise<string> {
  const first = sessions[0]?.day ?? ''
  const last = await findLastRun(db, DAYS_VERSION)
  if (!last) return first
  const next = dayAfter(last.asOf)
  const newIndexDay = await findNewIndexDay(db, indexSymbol, await changedSince(db))
  return newIndexDay !== null && newIndexDay < next ? newIndexDay : next
}

type Work = {
  indexSymbol: string
  sessions: readonly Session[]
  from: string
  since: Date
  now: Date
}

async function updateDays(tx: Queryable, work: Work, page: string[]): Promise<void> {
  const changed = await listChanged(tx, page, {
    indexSymbol: work.indexSymbol,
    since: work.since,
    until: work.from,
    now: work.now,
  })
  const traders = page.map((traderId) => ({ traderId, from: earlier(changed.get(traderId), work.from) }))
  const firstDay = traders.reduce((first, { from }) => earlier(first, from), work.from)
  const toDo = work.sessions.filter(({ day }) => day >= firstDay)
  await deleteDays(tx, traders)
  for (let at = 0; at < toDo.length; at += SESSIONS_AT_ONCE) {
    const sessions = toDo.slice(at, at + SESSIONS_AT_ONCE)
    await insertDays(tx, traders, {
      indexSymbol: work.indexSymbol,
      sessions,
      now: work.now,
    })
  }
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

function earlier(one: string | undefined, other: string): string {
  return one !== undefined && one < other ? one : other
}

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10)
}

function dayAfter(day: string): string {
  return dayOf(new Date(Date.parse(day) + 86_400_000))
}
