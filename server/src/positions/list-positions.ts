import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { keepByVersion } from '../platform/keep-by-version.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import type { Directory, DirectoryNow } from '../quotes/directory.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import {
  KEPT_MAX_COUNT,
  keyOf,
  type PositionsOfTrader,
  readAll,
  readNewest,
  sizeOfPositions,
  writePositions,
} from './kept-positions.ts'
import { type ListedTrader, listedTraders } from './listed-positions.queries.ts'

/** Of a process, in bytes: what three thousand traders with twenty positions each have open. */
const MAX_KEPT_SIZE = 24_000_000

const findListedTraders = listedTraders(ENTITLED_STATUSES)

type Deps = { db: Queryable; pipelined: Queryable; others: ReadsOfOthers; directory: Directory }

/**
 * The caller's active positions and those of the traders they are entitled to (decisions G-14, G-33); their own are
 * never cut, of the others come the newest (decision G-66). Whose they may see, and the number of each trader's last event, is asked
 * of the primary; the positions of a trader are kept for that number (decision 0070). What others opened may be read from a replica.
 * @returns answers a caller
 */
export function makePositionsList(deps: Deps): (caller: Caller) => Promise<ReadyAnswer> {
  const findKept = keepByVersion<PositionsOfTrader>({ maxSize: MAX_KEPT_SIZE, sizeOf: sizeOfPositions })

  return async ({ userId }) => {
    const directory = await deps.directory.now()
    const traders = (await findListedTraders(deps.pipelined, userId)) ?? []
    const versions = new Map(traders.map((trader) => [keyOf(trader, directory), trader.lastEventNo]))
    const lists = await findKept(versions, (missing) =>
      readMissing(
        { ...deps, directory },
        userId,
        traders.filter((trader) => missing.has(keyOf(trader, directory))),
      ),
    )
    const shown = await chooseShown({ ...deps, directory }, userId, traders, lists)
    return new ReadyAnswer(`{"positions":[${shown.map(({ json }) => json).join()}]}`)
  }
}

type ByKey = ReadonlyMap<string, PositionsOfTrader>
type Reading = Omit<Deps, 'directory'> & { directory: DirectoryNow }

/** Nobody's list is changed: it is everybody's. */
async function chooseShown(
  { db, directory }: Reading,
  userId: string,
  traders: readonly ListedTrader[],
  lists: ByKey,
): Promise<PositionsOfTrader> {
  let own: PositionsOfTrader = []
  const theirs: PositionsOfTrader[] = []
  for (const trader of traders) {
    const newest = lists.get(keyOf(trader, directory)) ?? []
    if (trader.traderId !== userId) theirs.push(newest)
    else own = newest.length < KEPT_MAX_COUNT ? newest : await readAll(db, directory, trader)
  }
  if (theirs.length === 0) return own
  return newestFirst([own, newestFirst(theirs).slice(0, POSITIONS_MAX_COUNT)])
}

function newestFirst(lists: readonly PositionsOfTrader[]): PositionsOfTrader {
  return lists.flat().sort((one, other) => other.openedAt - one.openedAt)
}

/** The caller's own from the primary, those of others from where others are read. */
async function readMissing(
  { db, directory, others }: Reading,
  userId: string,
  wanted: readonly ListedTrader[],
): Promise<ByKey> {
  const own = wanted.filter(({ traderId }) => traderId === userId)
  const followed = wanted.filter(({ traderId }) => traderId !== userId)
  const seen = new Map(followed.map(({ lastEventNo, traderId }) => [traderId, lastEventNo]))
  const rows = await Promise.all([
    own.length === 0 ? [] : readNewest(db, own),
    followed.length === 0 ? [] : others.read(seen, (from) => readNewest(from, followed)),
  ])
  return writePositions(directory, wanted, rows.flat())
}
