import type pg from 'pg'
import { readAccount } from '../../server/src/accounts/read-account.ts'
import { findBearer } from '../../server/src/auth/sessions.queries.ts'
import { makeLeaderboard } from '../../server/src/leaderboard/read-leaderboard.ts'
import type { Queryable } from '../../server/src/platform/database.ts'
import { readAllFromPrimary } from '../../server/src/platform/replica.ts'
import { listPositions } from '../../server/src/positions/list-positions.ts'
import { searchTrader } from '../../server/src/traders/search-trader.ts'
import { readTraderProfile } from '../../server/src/traders/trader-profile.ts'
import { testSettings } from '../../server/test/build-test-app.ts'
import { type Conversation, record } from './record.ts'
import { PEOPLE, personId, sessionId } from './world.ts'

const now = new Date()

/** What each read says to the database for each of the people, the look at their session first. */
export async function recordReads(pool: pg.Pool): Promise<Record<string, Conversation[]>> {
  const lists: Record<string, Conversation[]> = {}
  for (const [name, work] of Object.entries(reads)) {
    const list: Conversation[] = []
    for (let nth = 1; nth <= PEOPLE; nth += 1) {
      list.push(
        await record(pool, async (db) => {
          await findBearer(db, sessionId(nth))
          await work(db, nth)
        }),
      )
    }
    lists[name] = list
  }
  return lists
}

const callerOf = (nth: number) => ({ userId: personId(nth), sessionId: sessionId(nth), email: '' })

const alone = (db: Queryable) => ({ db, others: readAllFromPrimary(db) })

const reads: Record<string, (db: Queryable, nth: number) => Promise<unknown>> = {
  positions: (db, nth) => listPositions(alone(db), callerOf(nth)),
  leaderboard: (db, nth) => makeLeaderboard({ db, pipelined: db })(personId(nth)),
  profile: (db, nth) =>
    readTraderProfile({ ...alone(db), settings: testSettings() }, callerOf(nth), `trader${nth}`, now),
  search: (db, nth) => searchTrader({ db }, callerOf(nth), `trader${nth}`),
  account: (db, nth) => readAccount({ db, pipelined: db }, callerOf(nth), now),
}
