import { PUSH_CACHE } from '@tradepost/contract/push-worker'

/**
 * Ends what is pushed to this browser, without the server: that has forgotten the device with its session. Resolves when it is done;
 * a browser that knows no notifications has nothing to end.
 */
export async function dropPush(): Promise<void> {
  try {
    const registration = await navigator.serviceWorker.getRegistration()
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
    await caches.delete(PUSH_CACHE)
  } catch {
    // There is none, or storage is forbidden.
  }
}
