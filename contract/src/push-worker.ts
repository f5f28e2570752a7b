/*
 * Names that the page, its service worker and the server share about notifications, in a file without schemas: a schema library would be
 * many times the size of the worker.
 */

/** Served from the root, since its path decides which pages it is for. */
export const SERVICE_WORKER_PATH = '/service-worker.js'

/** Calls of the service worker, which is signed in to nothing: a device's token is all that they take (ADR 0063). */
export const PUSH_OFF_PATH = '/push/off'
export const PUSH_RENEW_PATH = '/push/renew'

/** The browser's cache, and the address in it, where the page leaves a `KeptDevice` for the service worker. */
export const PUSH_CACHE = 'tradepost-push'
export const PUSH_DEVICE_PLACE = '/push/device'
/** The token of this device, and the key that its subscription was made for. */
export type KeptDevice = { token: string; publicKey: string }

/** The service worker's message to open pages once it has turned notifications off. */
export const PUSH_WAS_TURNED_OFF = 'push-off'

/** The message that is pushed to a device; neither a price nor notes (ADR 0063). */
export type PushMessage = {
  kind: 'opened' | 'closed' | 'adjusted'
  /** Username without the @. */
  trader: string
  symbol: string
  /** Of its item in Activity. */
  id: string
  /** The same for every copy of a message: a later one takes the place of an earlier one. */
  tag: string
  /** When it was published, in ms since 1970. */
  at: number
  /** The token that turns this device off, in `PUSH_OFF_PATH`; null when there is nothing that could. */
  off: string | null
}
