import { inSharedRuns } from '../../platform/cache/coalesce.ts'
import { ttlCache } from '../../platform/cache/ttl-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type CallFor, type Pool, takeFromPool } from './share-calls.ts'
import {
  countCalls,
  countTradersFollowed,
  holdsSymbol,
  insertCalls,
  isFollowed,
  lockCalls,
  type UsedCalls,
} from './take-call.queries.ts'

/** How many traders are followed is counted again after so long. */
const COUNTED_FOR_MS = 60_000
/** After a part was used up. */
const SCARCE_FOR_MS = 60_000

/** Takes one call to the provider out of the minute that all processes share; to be asked before each call. */
export type Calls = {
  /** For somebody who checks a ticker. @returns false where they have to wait */
  takeFor(personId: string, symbol: string): Promise<boolean>
  /** For what nobody waits for. */
  take(wanted: 'settlement' | 'mark' | 'directory'): Promise<boolean>
}

/** `personId`: null for nobody. `pool`: the part that the call was taken from; null where none was left */
type Asked = { wanted: CallFor; personId: string | null; pool: Pool | null }

/** @param deps.perMinute calls that the provider's plan allows */
export function makeCalls(deps: {
  db: Queryable
  pipelined: Queryable
  clock: Clock
  perMinute: number
}): Calls {
  const { clock, db, perMinute, pipelined } = deps
  /** Of this process. */
  let scarceSince: Date | null = null
  const countFollowed = ttlCache(clock, COUNTED_FOR_MS, () => countTradersFollowed(db))

  /** One lock and one wait for the disk for all who have asked since the run before began. */
  const takeTogether = inSharedRuns(async (asked: Asked[]) => {
    const tradersFollowed = await countFollowed('')
    await withTransaction(db, async (tx) => {
      await lockCalls(tx)
      // Read under the lock: calls are counted in the order in which they are taken.
      const now = clock.now()
      const used = await countCalls(tx, asked, now)
      for (const each of asked) each.pool = choosePool(each, used, tradersFollowed, now)
      await insertCalls(tx, asked, now)
    })
  })

  function choosePool(asked: Asked, calls: UsedCalls, tradersFollowed: number, now: Date): Pool | null {
    const { personId, wanted } = asked
    const used = calls.by(personId)
    const plan = { perMinute, tradersFollowed }
    const isScarce = scarceSince !== null && isWithin(SCARCE_FOR_MS, scarceSince, now)
    const pool = takeFromPool(wanted, used, { ...plan, isScarce })
    if (pool !== null) calls.add(pool, personId)
    // Marks and names are refused before their part is used up.
    else if (personId !== null && takeFromPool(wanted, used, { ...plan, isScarce: false }) === null)
      scarceSince = now
    return pool
  }

  async function take(wanted: CallFor, personId: string | null): Promise<boolean> {
    const asked: Asked = { wanted, personId, pool: null }
    await takeTogether(asked)
    return asked.pool !== null
  }

  return {
    async takeFor(personId, symbol) {
      const [holds, followed] = await Promise.all([
        holdsSymbol(pipelined, { personId, symbol }),
        isFollowed(pipelined, personId),
      ])
      if (holds && (await take('close', personId))) return true
      return take(followed ? 'opening of a followed trader' : 'opening', personId)
    },
    take: (wanted) => take(wanted, null),
  }
}

/** A clock that was set back does not keep it for longer. */
function isWithin(forMs: number, since: Date, now: Date): boolean {
  const passed = now.getTime() - since.getTime()
  return passed >= 0 && passed < forMs
}
