import type { Charge, PaymentIntent, PaymentMethod } from '../model/payments.ts'
import type { Tx } from '../world/world.ts'

type Attempt = { intent: PaymentIntent; method: PaymentMethod; description: string }

type Failure = { code: string; declineCode: string | null; message: string }

/** The charge of an attempt, be it that the bank paid or not. Not stored yet. */
export function makeCharge(
  tx: Tx,
  { intent, method, description }: Attempt,
  failure: Failure | null,
): Charge {
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
