/*
 * The product's service worker, served as /service-worker.js for every page. Each part adds its listeners here: notifications so
 * far. It answers no fetch, so that pages load as they do without it.
 */
import { listenForPushes } from './pushes.ts'

declare const self: ServiceWorkerGlobalScope

// A new version takes over at once: the pages share nothing with it that an older one would not understand.
self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
listenForPushes(self)
