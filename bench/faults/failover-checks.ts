import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { recountStatistics } from '../../server/src/positions/record/recount-statistics.ts'
import { checkExactlyOnce, everybodyNotified, print } from './delivery-checks.ts'
import type { Scenario } from './delivery-scenario.ts'
import type { FeedReader } from './feed-reader.ts'
import { lostTrades, type Trades, type Trading, tradesThatStand } from './trading.ts'

export type Course = Trading & {
  /** Of `performance.now()`. */
  mails: number[]
  faultAt: number
  promotedAt: number
  page: FeedReader
}

/** After the promotion. */
export const BACK_WITHIN_MS = 15_000
/** Commits that do not wait for the disk and that PostgreSQL may lose: those of three times `wal_writer_delay`. */
const UNWRITTEN_MS = 600

/** No answered order is lost, everybody is notified of all that stands, and repeats stay within their bound. */
export async function checkAfter(scenario: Scenario, course: Course, workers: number): Promise<void> {
  const { database, sink, connections } = scenario
  const trades = await tradesThatStand(database.pool)
  await everybodyNotified(scenario, trades.events)
  // The mails on their way, and those whose progress the standby had not got yet.
  const unwritten = course.mails.filter(
    (mail) => mail < course.faultAt && mail > course.faultAt - UNWRITTEN_MS,
  )
  const bound = workers * connections + unwritten.length
  const refused = [...course.refused]
  print({
    'opens and closes answered': course.opened.length + course.closed.length,
    'lost of these': lostTrades(course, trades),
    'opens and closes that stand although unanswered':
      trades.events - course.opened.length - course.closed.length,
    'requests without an answer': course.unanswered,
    'requests refused while the database was away': refused.reduce((sum, [, count]) => sum + count, 0),
    'page asked its lists anew': course.page.askedAgain,
    mails: sink.byMessageId.size,
    repeated: sink.repeats(),
    bound,
  })
  assert.equal(lostTrades(course, trades), 0)
  for (const until = performance.now() + BACK_WITHIN_MS; performance.now() < until; await pause(50))
    if (notShown(course, trades).length === 0) break
  assert.deepEqual(notShown(course, trades), [])
  assert.deepEqual(
    refused.filter(([answer]) => !/^50[23] /.test(answer)),
    [],
  )
  assert.equal(await recountStatistics(database.db), 0)
  await checkExactlyOnce(scenario, bound, { events: trades.events })
}

/** @returns events that stand and that the open page did not receive */
function notShown({ page }: Course, trades: Trades): string[] {
  return eventsOf(trades).filter((event) => !page.received.has(event))
}

function eventsOf({ standing, closed }: Trades): string[] {
  return [
    ...[...standing].map((symbol) => `opened ${symbol}`),
    ...[...closed].map((symbol) => `closed ${symbol}`),
  ]
}

/** @returns the events that stand now, as the page would find it in its lists, however often the database has to be asked */
export async function askEventsAgain({ database }: Scenario): Promise<string[]> {
  for (;;) {
    const trades = await tradesThatStand(database.pool).catch(() => null)
    if (trades) return eventsOf(trades)
    await pause(100)
  }
}
