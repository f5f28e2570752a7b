import type { CDPSession, Page, Worker } from '@playwright/test'
import type { startPushService, TestBrowser } from '../server/test/pushes/push-service.ts'
import { expect } from './fixtures.ts'

/** A page whose browser has a push service: ours, since the browser of the journeys has none. */
export type PushPage = {
  page: Page
  /** Hands the service worker what was pushed to this browser, as its push service does. @returns how many messages @throws for none */
  deliver(): Promise<number>
  /** Titles and tags of the notifications that are shown. */
  shown(): Promise<{ title: string; body: string; tag: string; path: string }[]>
  /** Presses a notification's button in the service worker. */
  press(action: string): Promise<void>
  /** Whether the browser holds a subscription. */
  isSubscribed(): boolean
}

export type TestPushService = Awaited<ReturnType<typeof startPushService>>

/** A message that its service worker has not got by then is handed over again; one is there within a second. */
const MISSED_AFTER_MS = 10_000

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
      const texts = service.taken.filter((taken) => taken.browser === browser?.id).map(({ text }) => text)
      const count = texts.length - delivered
      if (count === 0) throw new Error('nothing was pushed to this browser')
      for (const data of texts.slice(delivered)) await deliverOne(page, data)
      delivered = texts.length
      return count
    },
    async shown() {
      const worker = await recordNotifications(page)
      return worker.evaluate(async () => {
        const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration }
        const shown = await registration.getNotifications()
        return shown.map(({ body, data, tag, title }) => ({ title, body, tag, path: String(data.path) }))
      })
    },
    async press(action) {
      const worker = await recordNotifications(page)
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

/** A repeat takes the place of the first, so a message that a worker missed while its browser replaced it is handed over again. */
async function deliverOne(page: Page, data: string): Promise<void> {
  const { registrationId, session } = await registrationOf(page)
  const { origin } = new URL(page.url())
  await expect(async () => {
    const worker = await recordNotifications(page)
    const before = await worker.evaluate(countPushes)
    await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data })
    await expect
      .poll(() => worker.evaluate(countPushes), { timeout: MISSED_AFTER_MS })
      .toBeGreaterThan(before)
  }).toPass()
}

/** Runs in the service worker. @returns messages that this start of it was handed since the recording began */
function countPushes(): number {
  return Number(Reflect.get(globalThis, 'pushes') ?? 0)
}

/**
 * Has the worker's notifications kept where the test can see them, one of a tag at a time as a browser has them: the engine
 * without windows shows none. A whole browser keeps its own, and everything else of the worker is as it is.
 */
async function recordNotifications(page: Page): Promise<Worker> {
  const worker = await serviceWorkerOf(page)
  await worker.evaluate(() => {
    const { prototype } = ServiceWorkerRegistration
    if (!Reflect.has(globalThis, 'pushes')) {
      Reflect.set(globalThis, 'pushes', 0)
      addEventListener('push', () =>
        Reflect.set(globalThis, 'pushes', Number(Reflect.get(globalThis, 'pushes')) + 1),
      )
    }
    if (Notification.permission === 'granted' || Reflect.has(prototype, 'recorded')) return
    // In a cache: a browser may replace the worker at any time.
    const place = (tag: string) => `/shown/${encodeURIComponent(tag)}`
    const cache = () => caches.open('shown-in-a-test')
    Object.assign(prototype, {
      recorded: true,
      showNotification: async (title: string, options: { tag: string }) =>
        (await cache()).put(place(options.tag), Response.json({ title, ...options })),
      getNotifications: async () => {
        const shown = await (await cache()).matchAll()
        const contents = await Promise.all(shown.map((one) => one.json()))
        const close = (tag: string) => () => void cache().then((kept) => kept.delete(place(tag)))
        return contents.map((one) => ({ ...one, close: close(one.tag) }))
      },
    })
  })
  return worker
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

/** The one that was started last: one that its browser has replaced may be listed still. */
async function serviceWorkerOf(page: Page): Promise<Worker> {
  const context = page.context()
  return context.serviceWorkers().at(-1) ?? (await context.waitForEvent('serviceworker'))
}

type Registered = { registrationId: string; session: CDPSession }
const registrations = new WeakMap<Page, Promise<Registered>>()

function registrationOf(page: Page): Promise<Registered> {
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
