import { createHmac } from 'node:crypto'
import { FORMER_NAME_DAYS } from '@tradepost/contract/closing'
import { DAY_MS } from '@tradepost/contract/trading-day'
import type { SecretKey } from '../auth/keys/secret-key.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { insertFormerName, isFormerName, skeletonOf } from './former-names.queries.ts'

/** Keeps a name from everybody for a year, without keeping the name (rule G-117). */
export async function keepNameFree(
  tx: Queryable,
  secret: SecretKey,
  username: string,
  now: Date,
): Promise<void> {
  const nameHmac = hmacOf(secret, await skeletonOf(tx, username))
  await insertFormerName(tx, nameHmac, new Date(now.getTime() + FORMER_NAME_DAYS * DAY_MS))
}

/** Whether a name, or one that resembles it, was somebody's who was erased within the year. */
export async function wasSomebodys(
  tx: Queryable,
  secret: SecretKey,
  username: string,
  now: Date,
): Promise<boolean> {
  const skeleton = await skeletonOf(tx, username)
  // Also by the secrets of before.
  return isFormerName(
    tx,
    secret.all.map((key) => hmacOf(key, skeleton)),
    now,
  )
}

function hmacOf(secret: SecretKey, skeleton: string): Buffer {
  return createHmac('sha256', secret.derive('former-names')).update(skeleton).digest()
}
