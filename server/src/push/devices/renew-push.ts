import type { PushSubscriptionPayload } from '@tradepost/contract/push'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { sha256 } from '../../platform/ids.ts'
import { checkSubscription } from './check-subscription.ts'
import {
  deleteDeviceByToken,
  findDeviceByToken,
  lockEndpoint,
  takeEndpoint,
  updateAddress,
} from './devices.queries.ts'

/**
 * Gives a device the subscription that its browser made in the place of an earlier one, by the device's token alone: the browser
 * does it by itself, and nobody may be signed in at that moment. Nothing happens for a token of no device.
 * @throws `push_subscription_invalid`
 */
export async function renewPush(
  deps: { db: Queryable; loopback: boolean },
  token: string,
  subscription: PushSubscriptionPayload,
): Promise<void> {
  const address = await checkSubscription(deps, subscription)
  await withTransaction(deps.db, async (tx) => {
    await lockEndpoint(tx, address.endpoint)
    const device = await findDeviceByToken(tx, sha256(token))
    if (!device) return
    await takeEndpoint(tx, address.endpoint, device.id)
    await updateAddress(tx, device.id, address)
  })
}

/** Turns notifications off on the device that a token belongs to. Safe to repeat; a token of no device is as good. */
export async function turnOffByToken(deps: { db: Queryable }, token: string): Promise<void> {
  await deleteDeviceByToken(deps.db, sha256(token))
}
