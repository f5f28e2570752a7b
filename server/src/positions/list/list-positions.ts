import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import { ENTITLED_STATUSES } from '../../billing/entitlements/may-subscribe.ts'
import { versionedCache } from '../../platform/cache/versioned-cache.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { ReadsOfOthers } from '../../platform/distribution/replica.ts'
import { ReadyAnswer } from '../../platform/http/ready-answer.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import type { Directory, DirectoryNow } from '../../quotes/symbols/directory.ts'
import {
  KEPT_MAX_COUNT,
  keyOf,
  type PositionsOfTrader,
  readAll,
  readNewest,
  sizeOfPositions,
  type WrittenPosition,
  writePositions,
} from './kept-positions.ts'
import { type ListedTrader, listedTraders } from './listed-positions.queries.ts'

/** Of a process, in bytes: the open positions of three thousand traders with twenty each. */
const MAX_KEPT_SIZE = 24_000_000

const findListedTraders = listedTraders(ENTITLED_STATUSES)

type Deps = { db: Queryable; pipelined: Queryable; others: ReadsOfOthers; directory: Directory }

/** The parts of somebody's list of positions. They are shared: never change them. */
type Lists = { own: PositionsOfTrader | null; theirs: readonly PositionsOfTrader[] }
export type FindPositions = (userId: string) => Promise<Lists>

/**
 * Somebody's active positions and those of the traders they are entitled to (rules G-14, G-33). The primary answers which traders the
 * caller may see and each trader's last event number; the positions of a trader are kept for that number (ADR 0070). Other traders'
 * positions may be read from a replica.
 */
export function keepPositions(deps: Deps): FindPositions {
  const findKept = versionedCache<PositionsOfTrader>({ maxSize: MAX_KEPT_SIZE, sizeOf: sizeOfPositions })

  return async (userId) => {
    const reading = { ...deps, directory: await deps.directory.now() }
    const { directory } = reading
    const found = (await findListedTraders(deps.pipelined, userId)) ?? []
    // In one order, so that of two positions of one instant the same comes first in every answer.
    const traders = found.toSorted((one, other) => (one.traderId < other.traderId ? -1 : 1))
    const versions = new Map(traders.map((trader) => [keyOf(trader, directory), trader.lastEventNo]))
    const lists = await findKept(versions, (missing) =>
      readMissing(
        reading,
        userId,
        traders.filter((trader) => missing.has(keyOf(trader, directory))),
      ),
    )
    return divide(reading, userId, traders, lists)
  }
}

/** The caller's list of positions. */
export async function listPositions(findPositions: FindPositions, { userId }: Caller): Promise<ReadyAnswer> {
  const lists = await findPositions(userId)
  return ReadyAnswer.ofParts(digestsOf(lists), () => {
    const shown = chooseShown(lists)
    return `{"positions":[${shown.map(({ json }) => json).join()}]}`
  })
}

/** One's own first: of them more are shown than of others. Lists without a position change nothing. */
function digestsOf({ own, theirs }: Lists): string[] {
  const digests = theirs.map(({ digest }) => digest)
  return ['positions', own?.digest || 'none', ...digests.filter((digest) => digest !== '')]
}

/** Newest first; one's own are never cut, of the others come the newest (rule G-66). */
export function chooseShown({ own, theirs }: Lists): readonly WrittenPosition[] {
  const ofOwn = own?.positions ?? []
  if (theirs.length === 0) return ofOwn
  const ofOthers = theirs
    .flatMap(({ positions }) => positions)
    .sort(newestFirst)
    .slice(0, POSITIONS_MAX_COUNT)
  return ofOwn.length === 0 ? ofOthers : [...ofOwn, ...ofOthers].sort(newestFirst)
}

function newestFirst(one: WrittenPosition, other: WrittenPosition): number {
  return other.openedAt - one.openedAt
}

type ByKey = ReadonlyMap<string, PositionsOfTrader>
type Reading = Omit<Deps, 'directory'> & { directory: DirectoryNow }

async function divide(
  { db, directory }: Reading,
  userId: string,
  traders: readonly ListedTrader[],
  lists: ByKey,
): Promise<Lists> {
  let own: PositionsOfTrader | null = null
  const theirs: PositionsOfTrader[] = []
  for (const trader of traders) {
    const kept = lists.get(keyOf(trader, directory))
    if (!kept) continue
    if (trader.traderId !== userId) theirs.push(kept)
    else own = kept.positions.length < KEPT_MAX_COUNT ? kept : await readAll(db, directory, trader)
  }
  return { own, theirs }
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
