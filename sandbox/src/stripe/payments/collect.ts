import { movePlatform } from '../ledger/ledger.ts'
import type { Charge, Outcome, PaymentIntent, PaymentMethod } from '../model/payments.ts'
import { randomText } from '../store/ids.ts'
import type { Tx } from '../world/world.ts'
import { behaviourOf } from './cards.ts'
import { passOn } from './pass-on.ts'

export type Collection = {
  intent: PaymentIntent
  method: PaymentMethod
  /** A person is there to approve a 3-D Secure challenge, or just did. */
  presence: 'away' | 'present' | 'approved'
  /** Fails once although the card is good (control page, "Fail next renewal"). */
  sabotaged?: boolean
  /** Words of Billing for the charge. */
  description: string
}

export type IntentPlan = {
  amount: number
  currency: string
  customer: string
  description: string
  destination: string | null
  /** Cents for the platform; null when nothing goes to a connected account. */
  fee: number | null
  /** Cents for the connected account when not all of the amount; null for all. */
  transferAmount: number | null
}

/** A payment to be made, as Billing makes one for each invoice. */
export function openIntent(tx: Tx, plan: IntentPlan): PaymentIntent {
  const intent = tx.make('payment_intent', {
    amount: plan.amount,
    currency: plan.currency,
    customer: plan.customer,
    description: plan.description,
    application_fee_amount: plan.fee,
    transfer_data:
      plan.destination === null
        ? null
        : {
            destination: plan.destination,
            ...(plan.transferAmount !== null && { amount: plan.transferAmount }),
          },
    amount_details: { tip: {} },
    capture_method: 'automatic',
    confirmation_method: 'automatic',
    payment_method_types: ['card'],
    payment_method_options: {
      card: tx.part('payment_intent', 'payment_method_options.card', { request_three_d_secure: 'automatic' }),
    },
    setup_future_usage: 'off_session',
    status: 'requires_payment_method',
  })
  intent.client_secret = `${intent.id}_secret_${randomText(24)}`
  tx.add(intent)
  tx.emit('payment_intent.created', intent)
  return intent
}

/** Tries to collect a payment from a card: the money moves, the bank declines, or the bank wants a person. */
export function collect(tx: Tx, collection: Collection): Outcome {
  const { intent, method, presence, sabotaged } = collection
  const { number, approvedBefore } = tx.objects.notes('payment_method', method.id)
  const { decline, challenge } = behaviourOf(number)
  if (sabotaged === true)
    return refuse(tx, collection, 'card_declined', 'generic_decline', 'Your card was declined.')
  if (decline !== undefined) return refuse(tx, collection, decline.code, decline.declineCode, decline.message)
  const asks = challenge === 'always' || (challenge === 'once' && approvedBefore !== true)
  if (asks && presence !== 'approved') {
    if (presence === 'away')
      return refuse(
        tx,
        collection,
        'authentication_required',
        'authentication_required',
        'Your card was declined. This transaction requires authentication.',
      )
    return ask(tx, intent, method)
  }
  if (asks) tx.objects.note('payment_method', method.id, { approvedBefore: true })
  return succeed(tx, collection)
}

function succeed(tx: Tx, collection: Collection): Outcome {
  const { intent, method } = collection
  const charge = makeCharge(tx, collection, null)
  charge.balance_transaction = movePlatform(tx, {
    currency: charge.currency,
    amount: charge.amount,
    kind: 'charge',
    source: charge.id,
  })
  tx.add(charge, { parent: intent.id })
  passOn(tx, charge, intent.transfer_data)
  tx.emit('charge.succeeded', charge)
  tx.change(intent, {
    status: 'succeeded',
    amount_received: intent.amount,
    latest_charge: charge.id,
    payment_method: method.id,
    last_payment_error: null,
    next_action: null,
  })
  tx.emit('payment_intent.succeeded', intent)
  const { disputed, warnedOf } = behaviourOf(tx.objects.notes('payment_method', method.id).number)
  if (disputed === true) tx.schedule('open-dispute', charge.id, tx.now)
  if (warnedOf === true) tx.schedule('open-fraud-warning', charge.id, tx.now)
  return { kind: 'paid', intent, charge }
}

function ask(tx: Tx, intent: PaymentIntent, method: PaymentMethod): Outcome {
  tx.change(intent, {
    status: 'requires_action',
    payment_method: method.id,
    next_action: { type: 'use_stripe_sdk', use_stripe_sdk: {} },
  })
  tx.emit('payment_intent.requires_action', intent)
  return { kind: 'challenge', intent }
}

function refuse(
  tx: Tx,
  collection: Collection,
  code: string,
  declineCode: string | null,
  message: string,
): Outcome {
  const { intent, method } = collection
  const charge = makeCharge(tx, collection, { code, declineCode, message })
  tx.add(charge, { parent: intent.id })
  tx.emit('charge.failed', charge)
  tx.change(intent, {
    status: 'requires_payment_method',
    latest_charge: charge.id,
    payment_method: null,
    next_action: null,
    last_payment_error: {
      type: 'card_error',
      code,
      message,
      charge: charge.id,
      doc_url: `https://stripe.com/docs/error-codes/${code.replaceAll('_', '-')}`,
      payment_method: structuredClone(method),
      ...(declineCode !== null && { decline_code: declineCode }),
    },
  })
  tx.emit('payment_intent.payment_failed', intent)
  return { kind: 'declined', intent, message, code, declineCode }
}

type Attempt = { intent: PaymentIntent; method: PaymentMethod; description: string }

type Failure = { code: string; declineCode: string | null; message: string }

/** The charge of an attempt, be it that the bank paid or not. Not stored yet. */
function makeCharge(tx: Tx, { intent, method, description }: Attempt, failure: Failure | null): Charge {
  const paid = failure === null
  const { brand, country, exp_month, exp_year, fingerprint, funding, last4 } = method.card
  const charge = tx.make('charge', {
    amount: intent.amount,
    amount_captured: paid ? intent.amount : 0,
    application_fee_amount: intent.application_fee_amount,
    billing_details: structuredClone(method.billing_details),
    calculated_statement_descriptor: 'SANDBOX',
    captured: paid,
    currency: intent.currency,
    customer: intent.customer,
    description,
    paid,
    payment_intent: intent.id,
    payment_method: method.id,
    status: paid ? 'succeeded' : 'failed',
    failure_code: failure?.code ?? null,
    failure_message: failure?.message ?? null,
    fraud_details: {},
    outcome: tx.part('charge', 'outcome', {
      network_status: paid ? 'approved_by_network' : 'declined_by_network',
      reason: failure?.declineCode ?? null,
      risk_level: 'normal',
      seller_message: paid
        ? 'Payment complete.'
        : 'The bank did not return any further details with this decline.',
      type: paid ? 'authorized' : 'issuer_declined',
    }),
    payment_method_details: {
      type: 'card',
      card: tx.part('charge', 'payment_method_details.card', {
        amount_authorized: intent.amount,
        brand,
        checks: { address_line1_check: null, address_postal_code_check: null, cvc_check: 'pass' },
        country,
        exp_month,
        exp_year,
        fingerprint,
        funding,
        last4,
        network: brand,
      }),
    },
    transfer_data:
      intent.transfer_data === null
        ? null
        : { destination: intent.transfer_data.destination, amount: intent.transfer_data.amount ?? null },
  })
  charge.receipt_url = `${tx.pages}/receipt/${charge.id}`
  return charge
}
