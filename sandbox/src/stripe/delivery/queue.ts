import type { Database } from '../store/database.ts'
import type { Objects } from '../store/objects.ts'
import type { Settings } from '../store/settings.ts'
import { CHAOS, draw, HELD_BACK_MS, NEXT_DISTURBANCE, type NextDisturbance } from './chaos.ts'

/** The part of a transaction that queueing needs: a world's transaction queues, so its type cannot be asked for here. */
type Queueing = { db: Database; objects: Objects; settings: Settings }

/** The part of an event that decides which endpoints are owed it. */
type Owed = { id: string; object: string; type: string }

/**
 * Notes, in the transaction of the change itself, that an event is owed to each endpoint that asked for its type.
 * @param only a single endpoint, whatever it asked for; null for all
 * @returns how many deliveries are owed
 */
export function queueDeliveries(tx: Queueing, event: Owed, only: string | null): number {
  const endpoints = only === null ? subscribed(tx, event) : [only]
  for (const endpoint of endpoints) owe(tx, event.id, endpoint)
  return endpoints.length
}

/**
 * The sources of events that a destination may ask for (`events_from`, docs.stripe.com/api/v2/core/event-destinations): the
 * platform itself, and the accounts it manages.
 */
export const SOURCES = ['@self', '@accounts']

function subscribed(tx: Queueing, event: Owed): string[] {
  const thin = event.object === 'v2.core.event'
  const wants = ({ status, enabled_events }: { status: string; enabled_events: string[] }) =>
    status === 'enabled' && (enabled_events.includes(event.type) || enabled_events.includes('*'))
  const slice = { limit: 100 }
  const destinations = tx.objects.list('v2.core.event_destination', {}, slice)
  // Destination charges are the platform's own, and so is all that Billing does; thin events are about its accounts.
  const [payload, source] = thin ? ['thin', '@accounts'] : ['snapshot', '@self']
  const found = destinations
    .filter((one) => one.event_payload === payload && one.events_from.includes(source) && wants(one))
    .map(({ id }) => id)
  if (thin) return found
  const endpoints = tx.objects
    .list('webhook_endpoint', {}, slice)
    .filter((one) => wants(one) && !tx.objects.notes('webhook_endpoint', one.id).connect)
  return [...found, ...endpoints.map(({ id }) => id)]
}

function owe(tx: Queueing, event: string, endpoint: string): void {
  const chaos = tx.settings.read(CHAOS)
  const next = tx.settings.read(NEXT_DISTURBANCE)
  const id = insert(tx, event, endpoint, 0)
  const asked = (kind: keyof NextDisturbance) => next[kind] > 0 || draw(chaos.seed, id, kind) < chaos[kind]
  const delay =
    draw(chaos.seed, id, 'jitter') * chaos.jitterMs +
    (asked('reorder') ? Math.max(HELD_BACK_MS, chaos.jitterMs) : 0)
  const due = Math.round(Date.now() + delay)
  tx.db.run('UPDATE deliveries SET next_at = ?, lose_next = ? WHERE id = ?', due, asked('drop') ? 1 : 0, id)
  if (asked('duplicate')) insert(tx, event, endpoint, Math.round(due + draw(chaos.seed, id, 'second') * 300))
  if (next.duplicate + next.reorder + next.drop > 0) {
    tx.settings.write(NEXT_DISTURBANCE, {
      duplicate: Math.max(0, next.duplicate - 1),
      reorder: Math.max(0, next.reorder - 1),
      drop: Math.max(0, next.drop - 1),
    })
  }
}

function insert(tx: Queueing, event: string, endpoint: string, at: number): number {
  return tx.db.run(
    "INSERT INTO deliveries (event, endpoint, state, next_at) VALUES (?, ?, 'waiting', ?)",
    event,
    endpoint,
    at,
  )
}
