import { queueDeliveries } from '../delivery/queue.ts'
import { checkAnswer, checkEvent, worded } from '../gate/gate.ts'
import type { StoredAs } from '../model/stored.ts'
import { newId } from '../store/ids.ts'
import type { Tx } from './world.ts'

/** Instants of v2 objects. */
export function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

/** The changed object, as a thin event names it. */
export type Related = { id: string; type: string; url: string }

/**
 * Announces a change of a v2 object: the endpoint gets a thin notification, and a request for the event by its id
 * is answered with `data`.
 * @param object what changed; null for events that have their object in `data` only
 * @param only one event destination instead of all that subscribed
 */
export function emitThin(
  tx: Tx,
  type: string,
  object: Related | null,
  data: Record<string, unknown> | null = null,
  only: string | null = null,
): void {
  const bare = notification(tx, type, object)
  const event: StoredAs<'v2.core.event'> & { type: string } = { ...bare, ...(data !== null && { data }) }
  if (tx.world.strict) {
    const problems = [...checkEvent(tx.world.schemas, bare), ...checkAnswer(tx.world.schemas, event)]
    if (problems.length > 0)
      throw new Error(`The event ${type} differs from the SDK's types:\n${worded(problems)}`)
  }
  tx.objects.insert(event, tx.now, object === null ? {} : { parent: object.id })
  queueDeliveries(tx, event, only)
}

/** The notification that is sent: which object changed, without its data. */
function notification(tx: Tx, type: string, object: Related | null) {
  return {
    id: newId('v2.core.event'),
    object: 'v2.core.event' as const,
    created: iso(tx.now),
    livemode: false,
    ...(tx.cause !== null && {
      reason: {
        type: 'request',
        request: { id: tx.cause.id, idempotency_key: tx.cause.idempotencyKey ?? '' },
      },
    }),
    ...(object !== null && { related_object: object }),
    type,
  }
}
