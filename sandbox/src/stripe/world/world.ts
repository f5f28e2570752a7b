import type { Clock } from '../../clock.ts'
import type { Schemas } from '../gate/schema.ts'
import type { Kind, Kinds } from '../model/kinds.ts'
import type { Stored, StoredAs } from '../model/stored.ts'
import type { Database } from '../store/database.ts'
import type { Filed, Objects } from '../store/objects.ts'
import { makeSettings, OFFSET, type Settings } from '../store/settings.ts'

/** Everything that outlives a request. */
export type World = {
  db: Database
  schemas: Schemas
  /** The machine's time (or CLOCK_FILE's); the sandbox's own offset comes on top of it. */
  clock: Clock
  /** true: an event that differs from the SDK's types is an error of the sandbox, and so is an answer. */
  strict: boolean
  skeletons: Map<string, Record<string, unknown>>
  /** Agreed signing secrets of snapshot and of thin webhooks; null: each endpoint draws its own. */
  secrets: { snapshot: string | null; thin: string | null }
  /** Called after each commit, so that deliveries start at once. */
  committed: (() => void)[]
}

/** The cause of a change: an API request, or null for a page and for the passing of time. */
export type Cause = { id: string; idempotencyKey: string | null } | null

/** One transaction: what a handler may read and do. All of it happens, or nothing. */
export type Tx = {
  world: World
  db: Database
  objects: Objects
  settings: Settings
  /** The account's time in whole seconds, as Stripe counts it; for a customer's billing ask `timeOn`. */
  now: number
  cause: Cause
  /** Where the hosted pages are, without a slash at the end. */
  pages: string
  /** A new object of this kind: the SDK's least object, a fresh id, and these fields over it. Not stored yet. */
  make<K extends Kind>(kind: K, fields: Record<string, unknown>): Kinds[K]
  /** The least value of a nested field, with these fields over it: `part('payment_method', 'card', { last4 })`. */
  part(kind: Kind, path: string, fields: Record<string, unknown>): Record<string, unknown>
  add<K extends Kind>(object: StoredAs<K>, filed?: Filed<K>): void
  /** Changes fields of a stored object, and of the object in hand with it. Answers what the fields were before. */
  change<T extends Stored>(object: T, fields: Partial<T>): Record<string, unknown>
  /** @throws ApiError resource_missing when there is none of this kind, or it was deleted */
  need<K extends Kind>(kind: K, id: string, param?: string): Kinds[K]
  emit(type: string, object: Stored, previous?: Record<string, unknown>): string
  /** Puts something on the calendar of the account, or of a test clock; a time of null takes it off. */
  schedule(kind: DueKind, id: string, at: number | null, clock?: string | null): void
}

/** Things that happen when their time comes; at the same second the earlier in this list comes first. */
export const DUE_KINDS = [
  'expire-session',
  'end-subscription',
  'retry-invoice',
  'finalize-invoice',
  'end-discount',
  'renew-subscription',
  'expire-subscription',
  'open-dispute',
  'open-fraud-warning',
  'fail-refund',
  'approve-account',
  'lose-dispute',
  'payout-arrives',
  'pay-out',
  'trial-will-end',
  'expire-coupon',
  'expire-promotion-code',
  'clock-arrives',
] as const

export type DueKind = (typeof DUE_KINDS)[number]

export function sandboxNow(world: World): number {
  const offset = makeSettings(world.db).read(OFFSET)
  return Math.floor((world.clock.now().getTime() + offset) / 1000)
}
