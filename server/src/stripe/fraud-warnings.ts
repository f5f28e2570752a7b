import { idOrNull, sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'

/** A card network says that a payment may not have been made by the card's owner. */
export type FraudWarning = {
  createdAt: Date
  chargeId: string
  paymentId: string | null
  /** The payment is with us: it was neither refunded in full nor disputed. */
  isOpen: boolean
}

/** A warning as it is now. @throws what Stripe throws */
export async function retrieveWarning(deps: StripeDeps, id: string): Promise<FraudWarning> {
  const { actionable, charge, created } = await sdkOf(deps).radar.earlyFraudWarnings.retrieve(id, {
    expand: ['charge'],
  })
  if (typeof charge === 'string') throw new Error('Stripe has not expanded the charge of a warning')
  return {
    createdAt: new Date(created * 1000),
    chargeId: charge.id,
    paymentId: idOrNull(charge.payment_intent),
    isOpen: actionable && !charge.disputed && !charge.refunded,
  }
}
