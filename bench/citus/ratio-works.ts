import type pg from 'pg'
import { listActivity } from '../../server/src/activity/list-activity.ts'
import { leaseWork } from '../../server/src/events/work.queries.ts'
import { listRanked } from '../../server/src/leaderboard/leaderboard.queries.ts'
import type { Database, Queryable } from '../../server/src/platform/database.ts'
import type { Caller } from '../../server/src/platform/http/register-endpoints.ts'
import { readAllFromPrimary } from '../../server/src/platform/replica.ts'
import { closePosition } from '../../server/src/positions/close-position.ts'
import { listPositions } from '../../server/src/positions/list-positions.ts'
import { openPosition } from '../../server/src/positions/open-position.ts'
import { previewPrice, type QuotesDeps } from '../../server/src/quotes/preview-price.ts'
import { findMailsRefused, listOwn } from '../../server/src/subscriptions/own-subscriptions.queries.ts'
import { readTraderProfile } from '../../server/src/traders/trader-profile.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { silentLog } from '../../server/test/database.ts'
import { followerId, traderId } from './ratio-world.ts'

/** One of the two databases, and what the product's functions are given of it. */
export type Side = { name: string; database: Database; session: pg.Client }

export type Work = {
  name: string
  /** Least ratio; null where only the figure is wanted. */
  bar: number | null
  /** How many do it at once; four unless given. */
  connections?: number
  /**
   * Once, for the nth time.
   * @returns what is measured; what `prepare` did before it is not
   */
  prepare(side: Side, nth: number): Promise<() => Promise<unknown>>
}

const NOTES = 'For a reason that is long enough.'
const AT_ONCE = 8
const prices = {
  quote: async () => ({ price: '103.25', at: new Date() }),
  search: async () => [],
}
const settings = testSettings({ limitsOn: false, marketOverride: 'open' })

function depsOf({
  database,
}: Side): QuotesDeps & { log: typeof silentLog; others: ReturnType<typeof readAllFromPrimary> } {
  const { db, pipelined } = database
  return { db, pipelined, prices, settings, log: silentLog, others: readAllFromPrimary(db) }
}

function callerOf(userId: string): Caller {
  return { userId, sessionId: userId, email: 'nobody@example.com' }
}

/** Without anything to prepare. */
function plainly(name: string, bar: number | null, run: (side: Side, nth: number) => Promise<unknown>): Work {
  return { name, bar, prepare: async (side, nth) => () => run(side, nth) }
}

const symbolOf = (nth: number) => `N${nth.toString(36).toUpperCase()}`
const asked = () => ({ now: new Date(), requestId: 'bench' })

async function keyFor(side: Side, userId: string, symbol: string): Promise<string> {
  return (await previewPrice(depsOf(side), callerOf(userId), symbol, new Date())).key
}

const opening: Work = {
  name: 'open',
  bar: 0.75,
  async prepare(side, nth) {
    const [userId, symbol] = [traderId(nth), symbolOf(nth)]
    const payload = {
      symbol,
      key: await keyFor(side, userId, symbol),
      openNotes: NOTES,
      positionLength: 'one_to_three_weeks',
    }
    return () => openPosition(depsOf(side), callerOf(userId), payload, asked())
  },
}

const closing: Work = {
  name: 'close',
  bar: 0.75,
  async prepare(side, nth) {
    // Of the twenty that each trader has open, one after the other.
    const trader = 1 + (nth % 2000)
    const symbol = `S${1 + ((trader * 31 + 1 + Math.floor(nth / 2000)) % 300)}`
    const userId = traderId(nth)
    const payload = { symbol, key: await keyFor(side, userId, symbol), closeNotes: NOTES }
    return () => closePosition(depsOf(side), callerOf(userId), payload, asked())
  },
}

const leasing: Work = {
  name: 'lease of event work (8)',
  bar: null,
  connections: 1,
  async prepare({ session }, nth) {
    const number = 1 + (nth % 1000)
    await session.query(
      'update event_work set lease_owner = null, leased_at = null where lease_owner is not null',
    )
    const now = new Date()
    const terms = { reader: 'mail', number, now, staleBefore: new Date(now.getTime() - 600_000), after: null }
    return () => leaseWork(session, terms, AT_ONCE)
  },
}

const trading: Work[] = [
  plainly('check a price', null, (side, nth) =>
    previewPrice(depsOf(side), callerOf(traderId(nth)), symbolOf(nth), new Date()),
  ),
  opening,
  closing,
]
const reading: Work[] = [
  plainly('own positions', 0.5, (side, nth) => listPositions(depsOf(side), callerOf(traderId(nth)))),
  plainly('positions of a follower of 10', 0.5, (side, nth) =>
    listPositions(depsOf(side), callerOf(followerId(nth))),
  ),
  plainly('profile', 0.5, (side, nth) =>
    readTraderProfile(depsOf(side), callerOf(followerId(nth)), `trader${1 + (nth % 2000)}`, new Date()),
  ),
  plainly('leaderboard', 0.8, ({ database }) => listRanked(database.db, { minClosed: 1, limit: 100 })),
  plainly('subscriptions of a follower', 0.8, ({ database }, nth) =>
    subscriptionsOf(database.db, followerId(nth)),
  ),
  plainly('activity page', null, ({ database }, nth) =>
    listActivity(database.db, callerOf(followerId(nth)), {}),
  ),
]

export const works: readonly Work[] = [...trading, ...reading, leasing]

function subscriptionsOf(db: Queryable, userId: string): Promise<unknown> {
  return Promise.all([listOwn(db, userId), findMailsRefused(db, userId)])
}
