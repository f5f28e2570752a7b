import {
  arrayOf,
  fields,
  flag,
  nullable,
  number,
  type Of,
  oneOf,
  optional,
  record,
  recordOf,
  text,
} from '../shape/shape.ts'
import { listOf, stored, storedObject } from './stored.ts'

/** A card as a person typed it, and the test names stand for. */
export const card = fields({ number: text, expMonth: number, expYear: number })
export type Card = Of<typeof card>

export const paymentMethod = stored('payment_method', {
  customer: nullable(text),
  type: oneOf('card'),
  billing_details: record,
  card: fields({
    brand: text,
    country: nullable(text),
    exp_month: number,
    exp_year: number,
    fingerprint: nullable(text),
    funding: text,
    last4: text,
  }),
})
export type PaymentMethod = Of<typeof paymentMethod>

/** The sandbox's own notes on a card: its number, and whether a person has approved it once (3-D Secure). */
export const methodNotes = fields({ number: text, approvedBefore: optional(flag) })

export const paymentIntent = stored('payment_intent', {
  amount: number,
  amount_received: number,
  currency: text,
  customer: text,
  description: text,
  status: oneOf('requires_payment_method', 'requires_action', 'succeeded', 'canceled'),
  latest_charge: nullable(text),
  payment_method: nullable(text),
  application_fee_amount: nullable(number),
  last_payment_error: nullable(record),
  transfer_data: nullable(fields({ destination: text, amount: optional(number) })),
  metadata: recordOf(text),
})
export type PaymentIntent = Of<typeof paymentIntent>

export const charge = stored('charge', {
  created: number,
  amount: number,
  amount_refunded: number,
  currency: text,
  customer: text,
  description: nullable(text),
  payment_intent: text,
  payment_method: text,
  payment_method_details: fields({ card: fields({ last4: text }) }),
  paid: flag,
  refunded: flag,
  disputed: flag,
  status: oneOf('succeeded', 'failed', 'pending'),
  transfer: optional(text),
  application_fee: nullable(text),
  application_fee_amount: nullable(number),
  receipt_url: nullable(text),
  metadata: recordOf(text),
})
export type Charge = Of<typeof charge>

export const transfer = stored('transfer', {
  created: number,
  amount: number,
  amount_reversed: number,
  reversed: flag,
  currency: text,
  destination: text,
  source_transaction: nullable(text),
  reversals: listOf(storedObject),
  metadata: recordOf(text),
})
export type Transfer = Of<typeof transfer>

export const transferReversal = stored('transfer_reversal', { amount: number })
export type TransferReversal = Of<typeof transferReversal>

export const applicationFee = stored('application_fee', {
  created: number,
  account: text,
  amount: number,
  amount_refunded: number,
  refunded: flag,
  charge: text,
  currency: text,
  refunds: listOf(storedObject),
})
export type ApplicationFee = Of<typeof applicationFee>

export const feeRefund = stored('fee_refund', { amount: number })
export type FeeRefund = Of<typeof feeRefund>

/** Money on its way from a connected account to its bank. */
export const payout = stored('payout', {
  created: number,
  amount: number,
  currency: text,
  arrival_date: number,
  status: oneOf('in_transit', 'paid'),
})
export type Payout = Of<typeof payout>

export const refund = stored('refund', {
  amount: number,
  charge: text,
  currency: text,
  payment_intent: text,
  status: oneOf('succeeded', 'failed', 'pending'),
  metadata: recordOf(text),
})
export type Refund = Of<typeof refund>

export const dispute = stored('dispute', {
  amount: number,
  charge: text,
  currency: text,
  payment_intent: text,
  status: oneOf(
    'needs_response',
    'under_review',
    'won',
    'lost',
    'warning_needs_response',
    'warning_under_review',
    'warning_closed',
  ),
  evidence: record,
  evidence_details: record,
  balance_transactions: arrayOf(storedObject),
  metadata: recordOf(text),
})
export type Dispute = Of<typeof dispute>

export const fraudWarning = stored('radar.early_fraud_warning', {
  actionable: flag,
  charge: text,
  created: number,
  payment_intent: text,
})
export type FraudWarning = Of<typeof fraudWarning>

export const balanceTransaction = stored('balance_transaction', { amount: number })

/** The result of an attempt to collect money. */
export type Outcome =
  | { kind: 'paid'; intent: PaymentIntent; charge: Charge }
  | { kind: 'declined'; intent: PaymentIntent; message: string; code: string; declineCode: string | null }
  | { kind: 'challenge'; intent: PaymentIntent }
