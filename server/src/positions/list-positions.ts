import { POSITIONS_MAX_COUNT } from '@tradepost/contract/limits'
import type { Queryable } from '../platform/database.ts'
import { ReadyAnswer } from '../platform/http/ready-answer.ts'
import type { Caller } from '../platform/http/register-endpoints.ts'
import { isSpread } from '../platform/layout.ts'
import type { ReadsOfOthers } from '../platform/replica.ts'
import { ENTITLED_STATUSES } from '../subscriptions/may-subscribe.ts'
import {
  type ListedTrader,
  listedPositions,
  listedTraders,
  listOwn,
  newestPositions,
  type WrittenPosition,
} from './listed-positions.queries.ts'

/**
 * The caller's active positions and those of the traders they are entitled to (decisions G-14, G-33); their own are
 * never cut, of the others come the newest (decision G-66). What others opened may come from a replica.
 */
export async function listPositions(
  deps: { db: Queryable; others: ReadsOfOthers },
  caller: Caller,
): Promise<ReadyAnswer> {
  if (deps.others.apart || (await isSpread(deps.db))) return listApart(deps, caller)
  const listed = await findListed(deps.db, caller.userId)
  return new ReadyAnswer(`{"positions":${listed ?? '[]'}}`)
}

const RULES = { statuses: ENTITLED_STATUSES, othersLimit: POSITIONS_MAX_COUNT }
const findListed = listedPositions(RULES)
const findListedTraders = listedTraders(RULES)
const listNewest = newestPositions(RULES)

/** Their own and whom they follow, as the primary has it; of those, what is open where others are read. */
async function listApart(
  { db, others }: { db: Queryable; others: ReadsOfOthers },
  { userId }: Caller,
): Promise<ReadyAnswer> {
  const listed = await findListedTraders(db, { userId })
  const followed = listed.filter(({ traderId }) => traderId !== userId)
  const seen = new Map(followed.map(({ lastEventNo, traderId }) => [traderId, lastEventNo]))
  const [own, theirs] = await Promise.all([
    listed.length === followed.length ? [] : listOwn(db, { userId, ...named(listed) }),
    followed.length === 0 ? [] : others.read(seen, (from) => listNewest(from, named(followed))),
  ])
  return new ReadyAnswer(`{"positions":[${newestFirst(own, theirs).join()}]}`)
}

function named(traders: ListedTrader[]): { traderIds: string[]; usernames: string[] } {
  return {
    traderIds: traders.map(({ traderId }) => traderId),
    usernames: traders.map(({ username }) => username),
  }
}

function newestFirst(own: WrittenPosition[], theirs: WrittenPosition[]): string[] {
  return [...own, ...theirs]
    .sort((one, other) => other.openedAt.getTime() - one.openedAt.getTime())
    .map(({ position }) => position)
}
