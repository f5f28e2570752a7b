import { queueDeliveries } from '../delivery/queue.ts'
import { checkEvent, worded } from '../gate/gate.ts'
import type { Stored } from '../model/stored.ts'
import { newId } from '../store/ids.ts'
import type { Tx } from './world.ts'

/**
 * Announces a change with a snapshot of the object.
 * @param previous the fields that changed, as they were before
 * @returns the event's id
 */
export function emit(tx: Tx, type: string, object: Stored, previous?: Record<string, unknown>): string {
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
