import type { Clock } from '../clock.ts'
import { checkEvent, worded } from './gate/gate.ts'
import { merge } from './gate/merge.ts'
import type { Schemas } from './gate/schema.ts'
import { skeleton, skeletonAt } from './gate/skeleton.ts'
import type { Database } from './store/database.ts'
import { newId } from './store/ids.ts'
import { type Hidden, makeObjects, type Objects, type Stored } from './store/objects.ts'
import { makeSettings, type Settings } from './store/settings.ts'
import { queueDeliveries } from './webhooks/queue.ts'
import { missing } from './wire/errors.ts'

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

/** Who caused a change: an API request, or null for a page and for the passing of time. */
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
  /** A new object of this type: the SDK's least object, a fresh id, and these fields over it. Not stored yet. */
  make<T extends Stored>(type: string, fields: Record<string, unknown>): T
  /** The least value of a nested field, with these fields over it: `part('payment_method', 'card', { last4 })`. */
  part(type: string, path: string, fields: Record<string, unknown>): Record<string, unknown>
  add<T extends Stored>(object: T, hidden?: Hidden): T
  /** Changes fields of a stored object, and of the object in hand with it. Answers what the fields were before. */
  change<T extends Stored>(object: T, fields: Partial<T>): Record<string, unknown>
  /** @throws ApiError resource_missing when there is none of this type, or it was deleted */
  need<T extends Stored>(type: string, id: string, param?: string): T
  emit(type: string, object: Stored, previous?: Record<string, unknown>): string
  /** Puts something on the calendar of the account, or of a test clock; a time of null takes it off. */
  schedule(kind: DueKind, id: string, at: number | null, clock?: string | null): void
}

/** Things that happen when their time comes; at the same second the earlier in this list comes first. */
const DUE_KINDS = [
  'expire-session',
  'end-subscription',
  'retry-invoice',
  'finalize-invoice',
  'renew-subscription',
  'expire-subscription',
  'open-dispute',
  'fail-refund',
  'approve-account',
  'lose-dispute',
  'payout-arrives',
  'pay-out',
  'clock-arrives',
] as const

export type DueKind = (typeof DUE_KINDS)[number]

/** The sandbox's offset on top of the base clock, in milliseconds. */
export const OFFSET = 'clock-offset'

export function sandboxNow(world: World): number {
  const offset = makeSettings(world.db).read(OFFSET, 0)
  return Math.floor((world.clock.now().getTime() + offset) / 1000)
}

/**
 * Runs `work` in one transaction of the database.
 * @param at the second at which it happens; the sandbox's present unless a clock that moved on makes up for the past
 */
export function transact<T>(world: World, cause: Cause, work: (tx: Tx) => T, at = sandboxNow(world)): T {
  const result = world.db.transaction(() => work(makeTx(world, cause, at)))
  for (const listener of world.committed) listener()
  return result
}

function makeTx(world: World, cause: Cause, now: number): Tx {
  const objects = makeObjects(world.db)
  const settings = makeSettings(world.db)
  const tx: Tx = {
    world,
    db: world.db,
    objects,
    settings,
    now,
    cause,
    pages: settings.read('pages', 'http://127.0.0.1'),
    make: <T extends Stored>(type: string, fields: Record<string, unknown>) => {
      const base = leastObject(world, type)
      if ('id' in base) base.id = newId(type)
      if ('created' in base) base.created = tx.now
      return merge(base, fields) as T
    },
    part: (type, path, fields) => merge(leastPart(world, type, path), fields),
    add(object, hidden) {
      objects.insert(object, typeof object.created === 'number' ? object.created : tx.now, hidden)
      return object
    },
    change(object, fields) {
      const before: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(fields)) {
        if (JSON.stringify(object[name]) !== JSON.stringify(value)) before[name] = object[name] ?? null
      }
      Object.assign(object, fields)
      objects.save(object)
      return before
    },
    need<T extends Stored>(type: string, id: string, param?: string) {
      const found = objects.find(id)
      if (found === null || found.object !== type || found.deleted === true)
        throw missing(wordFor(type), id, param)
      return found as T
    },
    emit: (type, object, previous) => emit(tx, type, object, previous),
    schedule(kind, id, at, clock = null) {
      if (at === null) world.db.run('DELETE FROM due WHERE kind = ? AND id = ?', kind, id)
      else
        world.db.run(
          'INSERT INTO due (kind, id, at, rank, clock) VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at',
          kind,
          id,
          at,
          DUE_KINDS.indexOf(kind),
          clock,
        )
    },
  }
  return tx
}

function leastPart(world: World, type: string, path: string): Record<string, unknown> {
  const name = `${type}#${path}`
  const known = world.skeletons.get(name) ?? skeletonAt(world.schemas, type, path)
  world.skeletons.set(name, known)
  return structuredClone(known)
}

function leastObject(world: World, type: string): Record<string, unknown> {
  const known = world.skeletons.get(type) ?? skeleton(world.schemas, type)
  world.skeletons.set(type, known)
  return structuredClone(known)
}

function emit(tx: Tx, type: string, object: Stored, previous?: Record<string, unknown>): string {
  const event = {
    id: newId('event'),
    object: 'event',
    api_version: tx.world.schemas.apiVersion,
    created: tx.now,
    data: { object, ...(previous !== undefined && { previous_attributes: previous }) },
    livemode: false,
    pending_webhooks: 0,
    request: { id: tx.cause?.id ?? null, idempotency_key: tx.cause?.idempotencyKey ?? null },
    type,
  }
  if (tx.world.strict) {
    const problems = checkEvent(tx.world.schemas, event)
    if (problems.length > 0)
      throw new Error(`The event ${type} differs from the SDK's types:\n${worded(problems)}`)
  }
  event.pending_webhooks = queueDeliveries(tx, event, null)
  tx.objects.insert(event, tx.now, { parent: object.id })
  return event.id
}

/** How Stripe calls a type in "No such …". */
function wordFor(type: string): string {
  return type.replace(/^.*\./, '').replaceAll('_', type.includes('.') ? ' ' : '_')
}
