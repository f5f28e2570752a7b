import type pg from 'pg'
import { keepEvents } from '../../server/src/activity/kept-events.ts'
import { listActivity } from '../../server/src/activity/list-activity.ts'
import {
  findListState,
  readList,
} from '../../server/src/billing/subscriptions/listed-subscriptions.queries.ts'
import { leaseWork } from '../../server/src/events/work.queries.ts'
import { listRanked } from '../../server/src/leaderboard/leaderboard.queries.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import type { Database } from '../../server/src/platform/database/database.ts'
import type { Queryable } from '../../server/src/platform/database/queryable.ts'
import { readAllFromPrimary } from '../../server/src/platform/distribution/replica.ts'
import type { Caller } from '../../server/src/platform/http/register-endpoints.ts'
import { keepPositions, listPositions } from '../../server/src/positions/list/list-positions.ts'
import { closePosition } from '../../server/src/positions/publish/close-position.ts'
import { openPosition, type PositionsDeps } from '../../server/src/positions/publish/open-position.ts'
import { previewPrice, type QuotesDeps } from '../../server/src/quotes/prices/preview-price.ts'
import { keepDirectory } from '../../server/src/quotes/symbols/directory.ts'
import { makeTraderProfile, type ProfileDeps } from '../../server/src/traders/trader-profile.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { silentLog } from '../../server/test/database/database.ts'
import { followerId, newSymbol, TRADERS, traderId } from './ratio-world.ts'

/** One of the two databases, and what the product's functions are given of it. */
export type Side = { name: string; database: Database; session: pg.Client }

export type Work = {
  name: string
  /** Least ratio; null where only the figure is wanted. */
  bar: number | null
  /** How many do it at once; four unless given. */
  connections?: number
  /** How much longer a flush takes than on the disk that is there; 0 unless given. */
  diskMs?: number
  /** The first number, above those of another work that publishes the same; 0 unless given. */
  from?: number
  /**
   * Once, for the nth time.
   * @returns the measured work; the work of `prepare` before it is not measured
   */
  prepare(side: Side, nth: number): Promise<() => Promise<unknown>>
}

const NOTES = 'For a reason that is long enough.'
const AT_ONCE = 8
const prices = {
  quote: async () => ({ price: '103.25', at: new Date(), high: null, low: null }),
  nameOf: async () => null,
}
const settings = testSettings({ limitsOn: false, marketOverride: 'open' })

type Deps = PositionsDeps & QuotesDeps & ProfileDeps
const depsBySide = new WeakMap<Side, Deps>()

/** Made once a side, as a process makes them: they hold the directory. */
function depsOf(side: Side): Deps {
  const known = depsBySide.get(side)
  if (known) return known
  const { db, pipelined } = side.database
  const directory = keepDirectory({ db, clock: systemClock })
  const deps = { db, pipelined, directory, prices, settings, log: silentLog, others: readAllFromPrimary(db) }
  depsBySide.set(side, deps)
  return deps
}

function callerOf(userId: string): Caller {
  return { userId, sessionId: userId, email: 'nobody@example.com' }
}

/** Without anything to prepare. */
function plainly(name: string, bar: number | null, run: (side: Side, nth: number) => Promise<unknown>): Work {
  return { name, bar, prepare: async (side, nth) => () => run(side, nth) }
}

const symbolOf = (nth: number) => newSymbol(Math.floor(nth / TRADERS))
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
  ...[3, 6].flatMap((diskMs, nth) => {
    const name = (work: Work) => `${work.name}, a disk of ${diskMs} ms more`
    return [opening, closing].map((work) => ({ ...work, name: name(work), diskMs, from: (nth + 1) * 12_000 }))
  }),
]
/** The answers of a process that keeps what it has read of the trader before; and of one that has just been started. */
function kept(name: string, make: (deps: Deps) => (nth: number) => Promise<unknown>): Work[] {
  const running = new WeakMap<Side, (nth: number) => Promise<unknown>>()
  const warm: Work = {
    name,
    bar: 0.5,
    async prepare(side, nth) {
      const read = running.get(side) ?? make(depsOf(side))
      running.set(side, read)
      await read(nth)
      return () => read(nth)
    },
  }
  return [warm, plainly(`${name}, not kept`, null, (side, nth) => make(depsOf(side))(nth))]
}

const reading: Work[] = [
  ...kept('own positions', (deps) => {
    const findPositions = keepPositions(deps)
    return async (nth) => (await listPositions(findPositions, callerOf(traderId(nth)))).json
  }),
  ...kept('positions of a follower of 10', (deps) => {
    const findPositions = keepPositions(deps)
    return async (nth) => (await listPositions(findPositions, callerOf(followerId(nth)))).json
  }),
  ...kept('profile', (deps) => {
    const readProfile = makeTraderProfile(deps)
    return (nth) => readProfile(callerOf(followerId(nth)), `trader${1 + (nth % TRADERS)}`, new Date())
  }),
  plainly('leaderboard', 0.8, ({ database }) => listRanked(database.db, { minClosed: 1, limit: 100 })),
  plainly('subscriptions of a follower', 0.8, ({ database }, nth) =>
    subscriptionsOf(database.db, followerId(nth)),
  ),
  plainly('activity page', null, (side, nth) => {
    const deps = depsOf(side)
    return listActivity({ ...deps, findKeptEvents: keepEvents(deps) }, callerOf(followerId(nth)), {})
  }),
]

export const works: readonly Work[] = [...trading, ...reading, leasing]

/** Statements of a call for which nothing is kept. */
async function subscriptionsOf(db: Queryable, userId: string): Promise<unknown> {
  return [await findListState(db, userId), await readList(db, userId)]
}
