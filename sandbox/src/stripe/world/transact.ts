import { queueDeliveries } from '../delivery/queue.ts'
import { checkEvent, worded } from '../gate/gate.ts'
import { skeleton, skeletonAt } from '../gate/skeleton.ts'
import { KINDS, type Kind, type Kinds } from '../model/kinds.ts'
import type { Stored } from '../model/stored.ts'
import { missing } from '../refusals/errors.ts'
import { merge } from '../shape/merge.ts'
import { readAs, text } from '../shape/shape.ts'
import type { Database } from '../store/database.ts'
import { newId } from '../store/ids.ts'
import { makeObjects } from '../store/objects.ts'
import { makeSettings, type Setting } from '../store/settings.ts'
import { type Cause, DUE_KINDS, type DueKind, sandboxNow, type Tx, type World } from './world.ts'

/** The origin at which the hosted pages were last asked for; links that are made without a request use it. */
export const PAGES: Setting<string> = { name: 'pages', shape: text, otherwise: 'http://127.0.0.1' }

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
    pages: settings.read(PAGES),
    make: (kind, fields) => make(tx, kind, fields),
    part: (kind, path, fields) => merge(leastPart(world, kind, path), fields),
    add: (object, filed = {}) =>
      objects.insert(object, typeof object.created === 'number' ? object.created : tx.now, filed),
    change(object, fields) {
      const before: Record<string, unknown> = {}
      for (const [name, value] of Object.entries(fields)) {
        if (JSON.stringify(object[name]) !== JSON.stringify(value)) before[name] = object[name] ?? null
      }
      Object.assign(object, fields)
      objects.save(object)
      return before
    },
    need(kind, id, param) {
      const found = objects.find(kind, id)
      if (found === null) throw missing(wordFor(kind), id, param)
      return found
    },
    emit: (type, object, previous) => emit(tx, type, object, previous),
    schedule: (kind, id, at, clock = null) => schedule(world.db, kind, id, at, clock),
  }
  return tx
}

function make<K extends Kind>(tx: Tx, kind: K, fields: Record<string, unknown>): Kinds[K] {
  const base = leastObject(tx.world, kind)
  if ('id' in base) base.id = newId(kind)
  if ('created' in base) base.created = tx.now
  return readAs(KINDS[kind], merge(base, fields), `A new ${kind}`)
}

function schedule(db: Database, kind: DueKind, id: string, at: number | null, clock: string | null): void {
  if (at === null) {
    db.run('DELETE FROM due WHERE kind = ? AND id = ?', kind, id)
    return
  }
  db.run(
    'INSERT INTO due (kind, id, at, rank, clock) VALUES (?, ?, ?, ?, ?) ON CONFLICT (kind, id) DO UPDATE SET at = excluded.at',
    kind,
    id,
    at,
    DUE_KINDS.indexOf(kind),
    clock,
  )
}

function leastPart(world: World, kind: Kind, path: string): Record<string, unknown> {
  const name = `${kind}#${path}`
  const known = world.skeletons.get(name) ?? skeletonAt(world.schemas, kind, path)
  world.skeletons.set(name, known)
  return structuredClone(known)
}

function leastObject(world: World, kind: Kind): Record<string, unknown> {
  const known = world.skeletons.get(kind) ?? skeleton(world.schemas, kind)
  world.skeletons.set(kind, known)
  return structuredClone(known)
}

/** How Stripe calls a kind in "No such …". */
function wordFor(kind: Kind): string {
  if (kind === 'promotion_code') return 'promotion code'
  return kind.replace(/^.*\./, '').replaceAll('_', kind.includes('.') ? ' ' : '_')
}

/**
 * Announces a change with a snapshot of the object.
 * @param previous the fields that changed, as they were before
 * @returns the event's id
 */
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
