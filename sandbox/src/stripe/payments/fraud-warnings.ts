import type { FraudWarning } from '../model/payments.ts'
import { invalid } from '../refusals/errors.ts'
import { optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

const LIST = { ...PAGING, ...CREATED, charge: optional(text), payment_intent: optional(text) }

export const fraudWarningRoutes: Route[] = [
  route('GET /v1/radar/early_fraud_warnings', LIST, (call) => {
    const { charge, payment_intent } = call.params
    return page(call, 'radar.early_fraud_warning', { equal: { charge, payment_intent } })
  }),
  route('GET /v1/radar/early_fraud_warnings/:id', {}, ({ tx, id }) =>
    tx.need('radar.early_fraud_warning', id),
  ),
]

/**
 * A card network says that a payment may not have been made by the card's owner. No money moves. A warning may come after a dispute or a
 * refund; then nothing can be done about it (docs.stripe.com/api/radar/early_fraud_warnings/object, `actionable`).
 */
export function warnOfFraud(tx: Tx, chargeId: string): FraudWarning {
  const charge = tx.need('charge', chargeId)
  if (charge.status !== 'succeeded') throw invalid(`Charge ${chargeId} has failed: nobody warns of it.`)
  const made = tx.make('radar.early_fraud_warning', {
    actionable: !charge.disputed && !charge.refunded,
    charge: charge.id,
    fraud_type: 'made_with_stolen_card',
    payment_intent: charge.payment_intent,
  })
  tx.add(made, { parent: charge.id })
  tx.emit('radar.early_fraud_warning.created', made)
  return made
}

/** A payment was refunded in full or disputed: nothing is left to be done about its warnings. */
export function markAnswered(tx: Tx, chargeId: string): void {
  for (const warning of tx.objects.list('radar.early_fraud_warning', { parent: chargeId }, { limit: 100 })) {
    if (!warning.actionable) continue
    const before = tx.change(warning, { actionable: false })
    tx.emit('radar.early_fraud_warning.updated', warning, before)
  }
}
