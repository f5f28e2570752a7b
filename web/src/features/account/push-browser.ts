import type { PushSubscriptionPayload } from '@tradepost/contract/push'
import { type KeptDevice, PUSH_CACHE, PUSH_DEVICE_PLACE } from '@tradepost/contract/push-worker'
import { registerServiceWorker } from '../../lib/service-worker.ts'

/** The state of push in this browser: no notifications at all, none of this site allowed, or whether there is a subscription. */
export type PushHere = 'unsupported' | 'denied' | 'unsubscribed' | 'subscribed'

export async function readPushHere(): Promise<PushHere> {
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'unsupported'
  if (Notification.permission === 'denied') return 'denied'
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  return subscription && Notification.permission === 'granted' ? 'subscribed' : 'unsubscribed'
}

/**
 * Subscribes this browser. To be called on a click: it may ask for the permission.
 * @param publicKey of the product (RFC 8292)
 * @returns null when the permission was not given
 * @throws when the browser's push service cannot be reached
 */
export async function subscribeHere(publicKey: string): Promise<PushSubscriptionPayload | null> {
  if ((await Notification.requestPermission()) !== 'granted') return null
  await registerServiceWorker()
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await pushManager.subscribe(options).catch(async () => {
    // A subscription that was made for an earlier key stands in the way.
    await (await pushManager.getSubscription())?.unsubscribe()
    return pushManager.subscribe(options)
  })
  const { endpoint = '', keys } = subscription.toJSON()
  return { endpoint, keys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' }, publicKey }
}

/** Leaves for the service worker what it needs to turn this device off, or to renew it. */
export async function keepDevice(device: KeptDevice): Promise<void> {
  await (await caches.open(PUSH_CACHE)).put(PUSH_DEVICE_PLACE, Response.json(device))
}
