import type { Queryable } from '../../platform/database/queryable.ts'
import type { SecretKey } from './secret-key.ts'
import { findSigningKeys, planSigningKey, retireSigningKeys } from './signing-keys.queries.ts'
import { drawSigningKey, isPlanned } from './signing-keys.ts'

const MINUTE_MS = 60_000
/** Clients and what lies between keep the published keys for ten minutes each; then everybody knows a new one. */
const PUBLISHED_BEFORE_MS = 20 * MINUTE_MS
/** A token's hour, the keys that clients keep, and five minutes in which a process may not have noticed the change. */
const PUBLISHED_AFTER_MS = 90 * MINUTE_MS
/** How long one key signs, unless the operator sets another time. */
const SIGNS_FOR_MS = 30 * 86_400_000

/**
 * Plans the next signing key: published now, signing in twenty minutes, so that nobody meets a token whose key they
 * cannot know. The tokens of the present one stay good.
 * @returns when the planned key takes over, and whether it was planned just now
 */
export async function rotateSigningKeys(
  deps: { db: Queryable; secret: SecretKey },
  now: Date,
): Promise<{ signsFrom: Date; isNew: boolean }> {
  const signsFrom = new Date(now.getTime() + PUBLISHED_BEFORE_MS)
  const isNew = await planSigningKey(deps.db, await drawSigningKey(deps.secret, signsFrom, now))
  if (isNew) return { signsFrom, isNew }
  const planned = (await findSigningKeys(deps.db)).find(isPlanned)
  return { signsFrom: planned?.signs_from ?? signsFrom, isNew }
}

/** Hourly: plans a successor for a key that has signed for thirty days, and retires those whose last token has gone. */
export async function tendSigningKeys(deps: { db: Queryable; secret: SecretKey }, now: Date): Promise<void> {
  const rows = await findSigningKeys(deps.db)
  const signing = rows.find(({ state }) => state === 'signing')
  const isOld = signing && now.getTime() - signing.signs_from.getTime() >= SIGNS_FOR_MS
  if (isOld && !rows.some(isPlanned)) await rotateSigningKeys(deps, now)
  await retireSigningKeys(deps.db, new Date(now.getTime() - PUBLISHED_AFTER_MS))
}
