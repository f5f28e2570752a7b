import { trialEnd } from '../billing/read-trial.ts'
import { startSubscription } from '../billing/start.ts'
import { mayReceive } from '../connect/may-receive.ts'
import { checkChoice } from '../discounts/choose.ts'
import type { Session, SessionPlan } from '../model/checkout.ts'
import type { Card } from '../model/payments.ts'
import { behaviourOf } from '../payments/cards.ts'
import { addMethod } from '../payments/payment-methods.ts'
import { ApiError } from '../refusals/errors.ts'
import { factsOf } from '../tax/compute.ts'
import { NO_TAX } from '../tax/terms.ts'
import { checkStandsStill, timeOn } from '../time/time-on.ts'
import type { Tx } from '../world/world.ts'
import { rememberBuyer } from './buyer.ts'
import { orderOf } from './session-plan.ts'
import { showTax } from './session-tax.ts'
import { asksForTerms } from './terms-consent.ts'

/** The sentence that the buyer reads when the money could not go to its destination. */
export const SELLER_CANNOT_RECEIVE = 'This seller cannot receive payments at the moment.'

export type Paid = { session: Session; event: string }

/**
 * Whether the card can pay this session, before anything is made of it: Checkout leaves no trace of a refused card.
 * @returns the bank's refusal in words, `challenge` when the bank wants the person's approval first, or null
 */
export function refusal(tx: Tx, session: Session, card: Card): string | 'challenge' | null {
  const { plan } = tx.objects.notes('checkout.session', session.id)
  const { transferData } = plan
  const lost = lostDiscount(tx, session, plan)
  if (lost !== null) return lost
  const seller = transferData === null ? null : tx.objects.find('v2.core.account', transferData.destination)
  if (seller !== null && !mayReceive(seller)) return SELLER_CANNOT_RECEIVE
  const { decline, challenge } = behaviourOf(card.number)
  // A checkout that asks for nothing only saves the card, which some do that are declined when charged.
  const saves = session.amount_total === 0
  if (decline !== undefined && !(saves && decline.savable)) return decline.message
  return challenge === undefined ? null : 'challenge'
}

/** Why the discount that the session was opened with is no longer to be had; null: it is, or there is none. */
function lostDiscount(tx: Tx, session: Session, { discount = null, price, quantity }: SessionPlan) {
  if (discount === null) return null
  try {
    checkChoice(tx, discount, orderOf(session.customer, tx.need('price', price), quantity))
    return null
  } catch (error) {
    if (error instanceof ApiError) return error.message
    throw error
  }
}

/** A person paid: the card is saved, the subscription runs, and the session is complete. */
export function completeSession(tx: Tx, session: Session, card: Card): Paid {
  const { plan } = tx.objects.notes('checkout.session', session.id)
  const customer = session.customer ?? newCustomer(tx, session)
  const clock = tx.need('customer', customer).test_clock ?? null
  checkStandsStill(tx, clock)
  rememberBuyer(tx, session, customer)
  const method = addMethod(tx, card, customer)
  const { trialDays = null, missingMethod = 'create_invoice' } = plan
  const started = startSubscription(tx, {
    customer,
    price: tx.need('price', plan.price),
    quantity: plan.quantity,
    method,
    presence: 'approved',
    metadata: plan.metadata,
    description: plan.description,
    feePercent: plan.feePercent,
    transferData: plan.transferData,
    trial:
      trialDays === null ? null : { end: trialEnd(timeOn(tx, clock), trialDays), missing: missingMethod },
    discount: plan.discount ?? null,
    tax: plan.tax ?? NO_TAX,
  })
  if (started.subscription.status === 'incomplete')
    throw new Error('A card that was accepted could not be charged.')
  // The person is here, and has approved the card where the bank asks for that once.
  if (behaviourOf(card.number).challenge !== undefined)
    tx.objects.note('payment_method', method.id, { approvedBefore: true })
  tx.change(session, {
    status: 'complete',
    payment_status: session.amount_total === 0 ? 'no_payment_required' : 'paid',
    customer,
    // Nobody comes here who has not agreed.
    ...(asksForTerms(session) && { consent: { promotions: null, terms_of_service: 'accepted' } }),
    subscription: started.subscription.id,
    invoice: started.invoice.id,
    url: null,
  })
  showTax(tx, session, factsOf(tx, customer))
  tx.schedule('expire-session', session.id, null)
  return { session, event: tx.emit('checkout.session.completed', session) }
}

function newCustomer(tx: Tx, session: Session): string {
  const customer = tx.make('customer', {
    email: session.customer_email,
    name: null,
    currency: null,
    invoice_prefix: session.id.slice(-8).toUpperCase(),
    next_invoice_sequence: 1,
  })
  tx.add(customer)
  tx.emit('customer.created', customer)
  return customer.id
}
