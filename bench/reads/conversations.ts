import type pg from 'pg'
import { readAccount } from '../../server/src/accounts/read-account.ts'
import { keepEvents } from '../../server/src/activity/kept-events.ts'
import { listActivity } from '../../server/src/activity/list-activity.ts'
import { countUnread } from '../../server/src/activity/unread.ts'
import { findBearer } from '../../server/src/auth/sessions/sessions.queries.ts'
import { makeSubscriptionsList } from '../../server/src/billing/subscriptions/list-subscriptions.ts'
import { makeLeaderboard } from '../../server/src/leaderboard/read-leaderboard.ts'
import { readMarks } from '../../server/src/marks/read-marks.ts'
import { systemClock } from '../../server/src/platform/clock.ts'
import type { Queryable } from '../../server/src/platform/database/queryable.ts'
import { readAllFromPrimary } from '../../server/src/platform/distribution/replica.ts'
import { keepPositions, listPositions } from '../../server/src/positions/list/list-positions.ts'
import { makeProven } from '../../server/src/proven/read-proven.ts'
import { keepDirectory } from '../../server/src/quotes/symbols/directory.ts'
import { makeClosedList } from '../../server/src/traders/list-closed-positions.ts'
import { makeTrackRecord } from '../../server/src/traders/record/read-track-record.ts'
import { searchTrader } from '../../server/src/traders/search-trader.ts'
import { makeTraderProfile } from '../../server/src/traders/trader-profile.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { followerId, followerSessionId } from './followers.ts'
import { type Conversation, record } from './record.ts'
import { PEOPLE, personId, sessionId } from './world.ts'

const now = new Date()

/** The statements that each read sends to the database for each of the people, the look at their session first. */
export async function recordReads(pool: pg.Pool): Promise<Record<string, Conversation[]>> {
  const lists: Record<string, Conversation[]> = {}
  for (const [name, make] of Object.entries({ ...reads, ...followersReads })) {
    const list: Conversation[] = []
    for (let nth = 1; nth <= PEOPLE; nth += 1) {
      list.push(
        await record(pool, (db) => {
          const read = make(db)
          return async () => {
            await findBearer(db, name in followersReads ? followerSessionId(nth) : sessionId(nth))
            await read(nth)
          }
        }),
      )
    }
    lists[name] = list
  }
  return lists
}

const callerOf = (nth: number) => ({ userId: personId(nth), sessionId: sessionId(nth), email: '' })

const alone = (db: Queryable) => ({
  db,
  pipelined: db,
  others: readAllFromPrimary(db),
  directory: keepDirectory({ db, clock: systemClock }),
})

const reads: Record<string, (db: Queryable) => (nth: number) => Promise<unknown>> = {
  positions: (db) => {
    const findPositions = keepPositions(alone(db))
    return async (nth) => (await listPositions(findPositions, callerOf(nth))).json
  },
  // All that a version costs, for any reader.
  leaderboard: (db) => (nth) => makeLeaderboard({ db, pipelined: db })(personId(nth)),
  profile: (db) => {
    const readProfile = makeTraderProfile({ ...alone(db), settings: testSettings() })
    return (nth) => readProfile(callerOf(nth), `trader${nth}`, now)
  },
  search: (db) => (nth) => searchTrader({ db, settings: testSettings() }, callerOf(nth), `trader${nth}`),
  account: (db) => (nth) => readAccount({ db, pipelined: db }, callerOf(nth), now),
  curve: (db) => {
    const readCurve = makeTrackRecord({ ...alone(db), settings: testSettings() })
    return (nth) => readCurve(callerOf(nth), `trader${nth}`, { range: '1y', now })
  },
  proven: (db) => {
    const readProven = makeProven(alone(db))
    return (nth) => readProven(personId(nth), now)
  },
  closed: (db) => {
    const listClosed = makeClosedList({ ...alone(db), settings: testSettings() })
    return (nth) => listClosed(callerOf(nth), `trader${nth}`, {})
  },
  marks: (db) => {
    const findPositions = keepPositions(alone(db))
    return (nth) => readMarks({ db, findPositions, settings: testSettings() }, callerOf(nth), now)
  },
}

const followerOf = (nth: number) => ({
  userId: followerId(nth),
  sessionId: followerSessionId(nth),
  email: '',
})

const followersReads: typeof reads = {
  unread: (db) => {
    const deps = alone(db)
    return (nth) => countUnread(deps, followerOf(nth))
  },
  activity: (db) => {
    const deps = { ...alone(db), findKeptEvents: keepEvents(alone(db)) }
    return (nth) => listActivity(deps, followerOf(nth), {})
  },
  subscriptions: (db) => {
    const listSubscriptions = makeSubscriptionsList({
      db,
      pipelined: db,
      settings: { subscriptionCurrency: 'usd' },
    })
    return (nth) => listSubscriptions(followerOf(nth), now)
  },
}
