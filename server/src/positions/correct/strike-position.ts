/** An operator strikes a position that nobody should be measured by (ADR 0079). There is no way back. */
import { isPastPlan } from '@tradepost/contract/kept-plan'
import { audit } from '../../auth/audit/audit.ts'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { publishEvent, withPublishing } from '../../events/publish-event.ts'
import { checkReason } from '../../platform/check-reason.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import { countFirstOpening, countStruck } from '../record/stats.queries.ts'
import { requirePosition } from './require-position.ts'
import {
  insertStrike,
  lockForStrike,
  type StrikablePosition,
  updateStruck,
} from './strike-position.queries.ts'

type Deps = { db: Queryable; secret: SecretKey }

/**
 * Has a position count nowhere from now on: in no statistics, curve, score or board. It stays in lists with the reason, and an active one can
 * be closed. Followers are mailed the reason.
 * @returns false where it is struck already
 * @throws when something of it cannot be meant
 */
export async function strikePosition(
  deps: Deps,
  given: { id: string; reason: string },
  now: Date,
): Promise<boolean> {
  const key = await requirePosition(deps.db, given.id)
  const reason = checkReason(given.reason)
  return withPublishing(deps.db, key.traderId, (tx) => strike(deps, tx, key, reason, now))
}

async function strike(
  deps: Deps,
  tx: Queryable,
  key: PositionKey,
  reason: string,
  now: Date,
): Promise<boolean> {
  const position = await lockForStrike(tx, key)
  if (position.struckAt !== null) return false
  const { traderId, id } = key
  await updateStruck(tx, key, reason, now)
  await countStruck(tx, traderId, countedAs(position))
  await countFirstOpening(tx, traderId)
  await audit(deps, tx, { action: 'position_struck', userId: traderId, detail: `${id} by operator` }, now)
  const eventNo = await publishEvent(tx, { traderId, positionId: id, kind: 'adjusted', requestId: null }, now)
  await insertStrike(tx, key, { reason, eventNo, openPrice: position.openPrice }, now)
  return true
}

function countedAs(position: StrikablePosition): Parameters<typeof countStruck>[2] {
  const { closedAt, percentageGain, unsettled } = position
  if (closedAt === null || percentageGain === null) return 'open'
  return unsettled ? 'unsettled' : { gain: percentageGain, kept: !isPastPlan(position, closedAt) }
}
