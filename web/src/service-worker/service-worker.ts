/*
 * The product's service worker, served as /service-worker.js for every page. Each part adds its listeners here: notifications, and
 * starts without a network.
 */

import { matchPath } from '@tradepost/contract/match-path'
import {
  APP_CACHE_PREFIX,
  type AppFiles,
  KEPT_ATTRIBUTE,
  SHELL_PATH,
} from '@tradepost/contract/offline-start'
import { PUSH_OFF_PATH, PUSH_RENEW_PATH, PUSH_WAS_TURNED_OFF } from '@tradepost/contract/push-worker'
import { webPaths } from '@tradepost/contract/web-paths'
import { webRoutes } from '@tradepost/contract/web-routes'
import { forgetDevice, keptDevice } from './kept-device.ts'
import { markIcon } from './mark-icon.ts'
import { type NotificationData, notificationOf } from './notification-of.ts'

declare const APP_FILES: AppFiles

/** The build of the app that this worker belongs to; scripts/build-web.ts writes it in place of the word. */
const app = APP_FILES

/*
 * The app for a start without a network, and the page that checks receipts (rule G-115). Each version of the worker keeps the documents of
 * its own build and every file that these need, all of it or nothing, so that no start mixes two versions. Nothing of a person is among it.
 */

const OWN_CACHE = APP_CACHE_PREFIX + app.version

/** Chromium sets this for Back, Forward and a tab that is opened again. */
type HistoryRequest = Request & { isHistoryNavigation?: boolean }

/**
 * Whether the server is asked while the worker is being started. Firefox fails a page whose preload fails, whatever the worker answers then, so
 * that nothing would open without a network. Chromium does not, and it alone knows this property.
 */
const PRELOADS = 'isHistoryNavigation' in Request.prototype

/** Whether it was looked at since the browser has started the worker, which it does about once a visit. */
let isUpToDate = false

/** The action of a notification's button. */
const TURN_OFF = 'off'

/** `pushsubscriptionchange` as the Push API has it; the compiler's library leaves its contents out. */
type ChangeEvent = ExtendableEvent & { newSubscription?: PushSubscription | null }

declare const self: ServiceWorkerGlobalScope

// A new version takes over at once: the pages share nothing with it that an older one would not understand.
self.addEventListener('install', () => void self.skipWaiting())

self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))

listenForPushes(self)

listenForStarts(self)

/** Shows what is pushed, opens what is tapped, turns off, and follows a subscription that the browser renews. */
function listenForPushes(worker: ServiceWorkerGlobalScope): void {
  worker.addEventListener('push', (event) => {
    const { title, ...options } = notificationOf(event.data?.text())
    event.waitUntil(Promise.all([worker.registration.showNotification(title, options), markIcon(worker)]))
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
 * Ends the subscription here, which is enough: its push service then answers that it is gone. The server is notified as well, so that
 * the list of devices is right at once.
 */
async function turnOff(worker: ServiceWorkerGlobalScope, messageToken: string | null): Promise<void> {
  const token = messageToken ?? (await keptDevice())?.token
  const notified = token === undefined ? null : post(PUSH_OFF_PATH, { token }).catch(() => null)
  const subscription = await worker.registration.pushManager.getSubscription()
  await Promise.all([notified, subscription?.unsubscribe(), forgetDevice()])
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

/** Keeps the app, and answers with it where the server cannot be reached. */
function listenForStarts(worker: ServiceWorkerGlobalScope): void {
  // Notifications do without it: it is tried again at the next page.
  worker.addEventListener('install', (event) => event.waitUntil(keepApp().catch(() => undefined)))
  worker.addEventListener('activate', (event) => {
    const { navigationPreload } = worker.registration
    const setting = PRELOADS ? navigationPreload?.enable() : navigationPreload?.disable()
    event.waitUntil(setting?.catch(() => undefined))
  })
  worker.addEventListener('fetch', (event) => {
    const { method, mode, url } = event.request
    const { origin, pathname } = new URL(url)
    if (method !== 'GET' || origin !== worker.location.origin) return
    if (pathname.startsWith('/assets/')) event.respondWith(answerFile(event.request))
    else if (mode === 'navigate' && pathname === webPaths.verify)
      event.respondWith(answerPage(event, webPaths.verify))
    else if (mode === 'navigate' && isOfApp(pathname)) event.respondWith(answerPage(event, SHELL_PATH))
  })
}

function isOfApp(pathname: string): boolean {
  return Object.values(webRoutes).some(({ path }) => matchPath(path, pathname) !== null)
}

/** The hash in a file's name identifies its content: it is the same, whichever version cached it. */
async function answerFile(request: Request): Promise<Response> {
  const kept = await caches.match(request, { ignoreVary: true }).catch(() => undefined)
  return kept ?? fetch(request)
}

/** @param place of the kept document that answers without the server */
async function answerPage(event: FetchEvent, place: string): Promise<Response> {
  try {
    const answer = await askServer(event)
    // A proxy answers so for a server that it cannot reach.
    if (answer.status >= 502 && answer.status <= 504)
      return (await keptDocument(place).catch(() => null)) ?? answer
    event.waitUntil(keepApp().catch(() => undefined))
    return answer
  } catch (failure) {
    const document = await keptDocument(place).catch(() => null)
    if (document === null) throw failure
    return document
  }
}

/** Asks the server past the browser's own cache, which answers Back and Forward with a page of any age, network or not. */
async function askServer({ preloadResponse, request }: FetchEvent): Promise<Response> {
  const { cache, headers, isHistoryNavigation, url } = request as HistoryRequest
  const preloaded = (await preloadResponse) as Response | undefined
  if (isHistoryNavigation || cache === 'force-cache' || cache === 'only-if-cached')
    return fetch(url, { cache: 'no-cache', headers, redirect: 'manual' })
  return preloaded ?? fetch(request)
}

/** @returns the document of the newest version of which everything is kept; null for none */
async function keptDocument(place: string): Promise<Response | null> {
  for (const cacheName of [OWN_CACHE, ...(await otherCaches()).reverse()]) {
    const kept = await caches.match(place, { cacheName })
    if (!kept) continue
    const html = (await kept.text()).replace('<html', `<html ${KEPT_ATTRIBUTE}`)
    const headers = new Headers(kept.headers)
    // The time of storing is not the server's time now.
    headers.delete('date')
    return new Response(html, { headers })
  }
  return null
}

/**
 * Keeps this version, with the document as it is today: settings of the server stand in it. Gives up all but the version before, of
 * which a page may still be open.
 * @throws when a file cannot be had, or the server answers with the document of another version; nothing is given up then
 */
async function keepApp(): Promise<void> {
  if (isUpToDate) return
  const verify = await fetchOwn(webPaths.verify, app.verify)
  const document = await fetchOwn(SHELL_PATH, app.entry)
  const cache = await caches.open(OWN_CACHE)
  if (!(await cache.match(SHELL_PATH))) await cache.addAll(app.files)
  await cache.put(webPaths.verify, verify)
  // Last, since its presence means that all files are there.
  await cache.put(SHELL_PATH, document)
  isUpToDate = true
  for (const name of (await otherCaches()).slice(0, -1)) await caches.delete(name)
}

/** @param script that the document of this version starts @throws when the server answers with another one */
async function fetchOwn(path: string, script: string): Promise<Response> {
  const document = await fetch(path, { cache: 'no-store', credentials: 'omit' })
  const html = await document.clone().text()
  if (!document.ok || !html.includes(`"${script}"`)) throw new Error('Another version is served')
  return document
}

/** @returns the oldest first */
async function otherCaches(): Promise<string[]> {
  const names = await caches.keys()
  return names.filter((name) => name.startsWith(APP_CACHE_PREFIX) && name !== OWN_CACHE)
}
