import { PUSH_DEVICES_MAX_COUNT } from '@tradepost/contract/limits'
import type { PushSubscriptionPayload } from '@tradepost/contract/push'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { newId } from '../../platform/ids.ts'
import { type Address, checkSubscription } from './check-subscription.ts'
import { deviceToken, storedToken } from './device-token.ts'
import {
  clearWay,
  countDevices,
  findDeviceAt,
  insertDevice,
  lockEndpoint,
  lockLiving,
  updateAddress,
  updateToken,
} from './devices.queries.ts'

type Deps = { db: Queryable; secret: SecretKey; loopback: boolean }

/**
 * Turns notifications on in the browser of the caller's session. The address then belongs to the caller, even if another person had it in that
 * browser; a session has one device. Repeating it changes nothing.
 * @returns the device, and the token that turns it off without a sign-in
 * @throws `push_subscription_invalid`, `too_many_devices`; `unauthorized` when the session ended meanwhile
 */
export async function turnOnPush(
  deps: Deps,
  caller: Caller,
  subscription: PushSubscriptionPayload,
  client: Client,
  now: Date,
): Promise<{ id: string; token: string }> {
  const address = await checkSubscription(deps, subscription)
  const id = await withTransaction(deps.db, async (tx) => {
    await lockEndpoint(tx, address.endpoint)
    if (!(await lockLiving(tx, caller))) throw refusal('unauthorized')
    const known = await findDeviceAt(tx, address.endpoint)
    if (known?.session_id === caller.sessionId) return keep(tx, deps.secret, known.id, address)
    return replace(tx, deps.secret, { caller, address, client, now })
  })
  return { id, token: deviceToken(deps.secret, id) }
}

async function keep(tx: Queryable, secret: SecretKey, id: string, address: Address): Promise<string> {
  await updateAddress(tx, id, address)
  await updateToken(tx, id, storedToken(secret, id))
  return id
}

type NewDevice = { caller: Caller; address: Address; client: Client; now: Date }

/** A new id is a new token: messages that are on their way to who had the address before turn nothing off any more. */
async function replace(
  tx: Queryable,
  secret: SecretKey,
  { caller, address, client, now }: NewDevice,
): Promise<string> {
  await clearWay(tx, { endpoint: address.endpoint, sessionId: caller.sessionId })
  if ((await countDevices(tx, caller.userId)) >= PUSH_DEVICES_MAX_COUNT) throw refusal('too_many_devices')
  const id = newId()
  const token = storedToken(secret, id)
  await insertDevice(tx, {
    id,
    user_id: caller.userId,
    session_id: caller.sessionId,
    push_key_id: address.pushKeyId,
    endpoint: address.endpoint,
    p256dh: address.p256dh,
    auth_secret: address.authSecret,
    token_hash: token.hash,
    token_secret_key_id: token.secretKeyId,
    user_agent: client.userAgent,
    created_at: now,
  })
  return id
}
