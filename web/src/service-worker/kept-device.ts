import { type KeptDevice, PUSH_CACHE, PUSH_DEVICE_PLACE } from '@tradepost/contract/push-worker'

/** The record of this device that the page stored here; null for none. */
export async function keptDevice(): Promise<KeptDevice | null> {
  const kept = await caches.match(PUSH_DEVICE_PLACE, { cacheName: PUSH_CACHE })
  return kept ? ((await kept.json()) as KeptDevice) : null
}

export async function forgetDevice(): Promise<void> {
  await caches.delete(PUSH_CACHE)
}
