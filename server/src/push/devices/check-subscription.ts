import { ECDH } from 'node:crypto'
import { isPushEndpoint, type PushSubscriptionPayload } from '@tradepost/contract/push'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { findPushKeys } from './push-keys.queries.ts'

/** A browser's subscription that can be sent to. */
export type Address = { endpoint: string; p256dh: Buffer; authSecret: Buffer; pushKeyId: string }

const CURVE = 'prime256v1'
const UNCOMPRESSED = 4

/**
 * Checks the subscription that a browser sends.
 * @throws `push_subscription_invalid` for an address that nothing is sent to, invalid keys, and a subscription that was made
 *   for a key that is not the product's
 */
export async function checkSubscription(
  deps: { db: Queryable; loopback: boolean },
  { endpoint, keys, publicKey }: PushSubscriptionPayload,
): Promise<Address> {
  const p256dh = Buffer.from(keys.p256dh, 'base64url')
  const authSecret = Buffer.from(keys.auth, 'base64url')
  if (!isPushEndpoint(endpoint, deps) || !isPublicKey(p256dh)) throw refusal('push_subscription_invalid')
  const key = (await findPushKeys(deps.db)).find(({ public_key }) => public_key === publicKey)
  if (!key) throw refusal('push_subscription_invalid')
  return { endpoint, p256dh, authSecret, pushKeyId: key.id }
}

/** Whether it is an uncompressed point of the curve: with another one every message would fail. */
function isPublicKey(point: Buffer): boolean {
  try {
    ECDH.convertKey(point, CURVE)
    return point[0] === UNCOMPRESSED
  } catch {
    return false
  }
}
