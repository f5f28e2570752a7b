import type { Stored } from '../store/objects.ts'

export type PaymentIntent = Stored & {
  amount: number
  amount_received: number
  currency: string
  customer: string
  status: 'requires_payment_method' | 'requires_action' | 'succeeded' | 'canceled'
  latest_charge: string | null
  payment_method: string | null
  application_fee_amount: number | null
  last_payment_error: Record<string, unknown> | null
  transfer_data: { destination: string; amount?: number } | null
  metadata: Record<string, string>
}

export type Charge = Stored & {
  amount: number
  amount_refunded: number
  currency: string
  customer: string
  payment_intent: string
  payment_method: string
  paid: boolean
  refunded: boolean
  disputed: boolean
  status: 'succeeded' | 'failed' | 'pending'
  transfer?: string
  application_fee: string | null
  application_fee_amount: number | null
  receipt_url: string | null
  metadata: Record<string, string>
}

export type Transfer = Stored & {
  created: number
  amount: number
  amount_reversed: number
  reversed: boolean
  currency: string
  destination: string
  source_transaction: string | null
  reversals: { object: 'list'; data: Stored[]; has_more: boolean; url: string }
  metadata: Record<string, string>
}

export type ApplicationFee = Stored & {
  created: number
  account: string
  amount: number
  amount_refunded: number
  refunded: boolean
  charge: string
  currency: string
  refunds: { object: 'list'; data: Stored[]; has_more: boolean; url: string }
}

/** Money on its way from a connected account to its bank. */
export type Payout = Stored & {
  created: number
  amount: number
  currency: string
  arrival_date: number
  status: 'in_transit' | 'paid'
}

export type Refund = Stored & {
  amount: number
  charge: string
  currency: string
  payment_intent: string
  status: 'succeeded' | 'failed' | 'pending'
  metadata: Record<string, string>
}

export type Dispute = Stored & {
  amount: number
  charge: string
  currency: string
  payment_intent: string
  status: 'needs_response' | 'under_review' | 'won' | 'lost'
  evidence: Record<string, unknown>
  evidence_details: Record<string, unknown>
  balance_transactions: Stored[]
  metadata: Record<string, string>
}

/** What an attempt to collect money came to. */
export type Outcome =
  | { kind: 'paid'; intent: PaymentIntent; charge: Charge }
  | { kind: 'declined'; intent: PaymentIntent; message: string; code: string; declineCode: string | null }
  | { kind: 'challenge'; intent: PaymentIntent }
