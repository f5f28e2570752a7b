import { PUSH_OFF_PATH, PUSH_RENEW_PATH, PUSH_WAS_TURNED_OFF } from '@tradepost/contract/push-worker'
import { forgetDevice, keptDevice } from './kept-device.ts'
import { type NotificationData, notificationOf } from './notification-of.ts'

/** What the button of a notification does. */
const TURN_OFF = 'off'

/** `pushsubscriptionchange` as the Push API has it; the compiler's library leaves its contents out. */
type ChangeEvent = ExtendableEvent & { newSubscription?: PushSubscription | null }

/** Shows what is pushed, opens what is tapped, turns off, and follows a subscription that the browser renews. */
export function listenForPushes(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => {
    const { title, ...options } = notificationOf(event.data?.text())
    event.waitUntil(worker.registration.showNotification(title, options))
  })
  worker.addEventListener('notificationclick', (event) => {
    const { notification, action } = event
    notification.close()
    const data = notification.data as NotificationData
    event.waitUntil(action === TURN_OFF ? turnOff(worker, data.off) : open(worker, data.path))
  })
  worker.addEventListener('pushsubscriptionchange', (event) => {
    event.waitUntil(renew(worker, event as ChangeEvent))
  })
}

/** A page that shows it already comes to the front. Others are left alone: something may be half typed there. */
async function open({ clients, location }: ServiceWorkerGlobalScope, path: string): Promise<void> {
  const { href } = new URL(path, location.origin)
  const pages = await clients.matchAll({ type: 'window' })
  const there = pages.find(({ url }) => url === href)
  await (there ? there.focus() : clients.openWindow(href))
}

/**
 * Ends the subscription here, which is enough: its push service then answers that it is gone. The server is told as well, so that
 * the list of devices is right at once.
 */
async function turnOff(worker: ServiceWorkerGlobalScope, messageToken: string | null): Promise<void> {
  const token = messageToken ?? (await keptDevice())?.token
  const told = token === undefined ? null : post(PUSH_OFF_PATH, { token }).catch(() => null)
  const subscription = await worker.registration.pushManager.getSubscription()
  await Promise.all([told, subscription?.unsubscribe(), forgetDevice()])
  for (const shown of await worker.registration.getNotifications()) shown.close()
  for (const page of await worker.clients.matchAll({ type: 'window' })) page.postMessage(PUSH_WAS_TURNED_OFF)
}

/** The browser has ended the subscription, and may have made another one. */
async function renew(worker: ServiceWorkerGlobalScope, event: ChangeEvent): Promise<void> {
  const device = await keptDevice()
  if (device === null) return
  const { publicKey, token } = device
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = event.newSubscription ?? (await worker.registration.pushManager.subscribe(options))
  const { endpoint, keys } = subscription.toJSON()
  await post(PUSH_RENEW_PATH, { token, subscription: { endpoint, keys, publicKey } })
}

function post(path: string, body: object): Promise<Response> {
  return fetch(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    // A notification's button may end the worker as soon as its work is over.
    keepalive: true,
  })
}
