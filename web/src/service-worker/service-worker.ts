/*
 * The product's service worker, served as /service-worker.js for every page. Each part adds its listeners here: notifications, and
 * starts without a network.
 */
import { listenForStarts } from './kept-app.ts'
import { listenForPushes } from './pushes.ts'

declare const self: ServiceWorkerGlobalScope

// A new version takes over at once: the pages share nothing with it that an older one would not understand.
self.addEventListener('install', () => void self.skipWaiting())
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()))
listenForPushes(self)
listenForStarts(self)
