import type { CDPSession, Page, Worker } from '@playwright/test'
import type { startPushService, TestBrowser } from '../server/test/pushes/push-service.ts'
import { expect } from './fixtures.ts'

/** A page whose browser has a push service: ours, since the browser of the journeys has none. */
export type PushPage = {
  page: Page
  /** Hands the service worker what was pushed to this browser, as its push service does. @returns how many messages */
  deliver(): Promise<number>
  /** Titles and tags of the notifications that are shown. */
  shown(): Promise<{ title: string; body: string; tag: string; path: string }[]>
  /** Presses a notification's button in the service worker. */
  press(action: string): Promise<void>
  /** Whether the browser holds a subscription. */
  isSubscribed(): boolean
}

export type TestPushService = Awaited<ReturnType<typeof startPushService>>

/** @param permission the person's answer to the browser's question */
export async function openWithPush(
  open: () => Promise<Page>,
  service: TestPushService,
  permission: 'granted' | 'denied' | 'default' = 'granted',
): Promise<PushPage> {
  const page = await open()
  let browser: TestBrowser | null = null
  await page.exposeFunction('testSubscribe', (publicKey: string) => {
    browser = service.subscribe(publicKey)
    return browser.subscription
  })
  await page.exposeFunction('testSubscription', () => browser?.subscription ?? null)
  await page.exposeFunction('testUnsubscribe', () => {
    browser = null
  })
  if (permission === 'granted') await page.context().grantPermissions(['notifications'])
  await page.addInitScript(replacePushManager)
  await page.addInitScript((answer) => {
    // The engine without windows has no notifications, and so no permission to give; a whole browser was given it.
    if (answer === 'granted' && Notification.permission === answer) return
    Object.defineProperty(Notification, 'permission', { get: () => answer })
    Notification.requestPermission = async () => answer
  }, permission)
  await page.reload()
  let delivered = 0
  return {
    page,
    async deliver() {
      await recordNotifications(page)
      const { registrationId, session } = await workerOf(page)
      const texts = service.taken.filter((taken) => taken.browser === browser?.id).map(({ text }) => text)
      const origin = new URL(page.url()).origin
      for (const data of texts.slice(delivered))
        await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
      const count = texts.length - delivered
      delivered = texts.length
      return count
    },
    async shown() {
      const worker = await serviceWorkerOf(page)
      return worker.evaluate(async () => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
        const shown = await registration.getNotifications()
        return shown.map(({ body, data, tag, title }) => ({ title, body, tag, path: String(data.path) }))
      })
    },
    async press(action) {
      const worker = await serviceWorkerOf(page)
      await worker.evaluate(pressInWorker, action)
    },
    isSubscribed: () => browser !== null,
  }
}

/** Runs in the page before its scripts: subscriptions are those of the tests' service. */
function replacePushManager(): void {
  const ask = (name: string, ...args: unknown[]) =>
    (Reflect.get(window, name) as (...given: unknown[]) => Promise<unknown>)(...args)
  const present = (subscription: unknown) =>
    subscription === null ? null : { toJSON: () => subscription, unsubscribe: () => ask('testUnsubscribe') }
  Object.assign(PushManager.prototype, {
    subscribe: async ({ applicationServerKey }: { applicationServerKey: string }) =>
      present(await ask('testSubscribe', applicationServerKey)),
    getSubscription: async () => present(await ask('testSubscription')),
  })
}

/**
 * Has the worker's notifications kept where the test can see them, one of a tag at a time as a browser has them: the engine
 * without windows shows none. A whole browser keeps its own, and everything else of the worker is as it is.
 */
async function recordNotifications(page: Page): Promise<void> {
  const worker = await serviceWorkerOf(page)
  await worker.evaluate(() => {
    const { prototype } = ServiceWorkerRegistration
    if (Notification.permission === 'granted' || Reflect.has(prototype, 'recorded')) return
    const shown = new Map<string, object>()
    Object.assign(prototype, {
      recorded: true,
      showNotification: async (title: string, options: { tag: string }) => {
        shown.set(options.tag, { title, ...options, close: () => shown.delete(options.tag) })
      },
      getNotifications: async () => [...shown.values()],
    })
  })
}

/** Runs in the service worker: what a press of a notification's button does there. */
async function pressInWorker(action: string): Promise<void> {
  const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
  const [notification] = await registration.getNotifications()
  let work: Promise<unknown> = Promise.resolve()
  const waitUntil = (promise: Promise<unknown>) => {
    work = promise
  }
  dispatchEvent(Object.assign(new Event('notificationclick'), { notification, action, waitUntil }))
  await work
}

async function serviceWorkerOf(page: Page): Promise<Worker> {
  const context = page.context()
  return context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
}

type Registered = { registrationId: string; session: CDPSession }
const registrations = new WeakMap<Page, Promise<Registered>>()

function workerOf(page: Page): Promise<Registered> {
  const known = registrations.get(page) ?? findRegistration(page)
  registrations.set(page, known)
  return known
}

async function findRegistration(page: Page): Promise<Registered> {
  const session = await page.context().newCDPSession(page)
  const found = Promise.withResolvers<string>()
  session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations: all }) => {
    const [registration] = all
    if (registration) found.resolve(registration.registrationId)
  })
  await session.send('ServiceWorker.enable')
  return { registrationId: await found.promise, session }
}

export const card = (page: Page) => page.getByRole('region', { name: 'Notifications', exact: true })

export async function turnOn(page: Page): Promise<void> {
  await card(page).getByRole('button', { name: 'Turn on notifications' }).click()
  await expect(card(page).getByText('On for this device.')).toBeVisible()
}

/** The push service has so many messages. */
export async function untilPushed(service: TestPushService, count: number): Promise<void> {
  await service.until(() => service.taken.length >= count)
}
