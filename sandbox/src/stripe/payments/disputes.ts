import { movePlatform } from '../ledger/ledger.ts'
import type { Dispute } from '../model/payments.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, flag, optional, record, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { markAnswered } from './fraud-warnings.ts'

const DAYS_TO_ANSWER = 20
/** An inquiry that nobody answers, and that becomes no chargeback, is closed then. */
const DAYS_OF_INQUIRY = 120

/** Texts of evidence (docs.stripe.com/api/disputes/evidence_object); files are not spoken. */
const EVIDENCE_TEXTS = [
  'access_activity_log',
  'billing_address',
  'cancellation_policy_disclosure',
  'cancellation_rebuttal',
  'customer_email_address',
  'customer_name',
  'customer_purchase_ip',
  'duplicate_charge_explanation',
  'product_description',
  'refund_policy_disclosure',
  'refund_refusal_explanation',
  'service_date',
  'uncategorized_text',
]
const TEXT_MAX = 20_000
const ALL_TEXTS_MAX = 150_000

const LIST = { ...PAGING, ...CREATED, charge: optional(text), payment_intent: optional(text) }
const UPDATE = { evidence: optional(record), submit: optional(flag), metadata: optional(anything) }

export const disputeRoutes: Route[] = [
  route('GET /v1/disputes', LIST, (call) => {
    const { charge, payment_intent } = call.params
    return page(call, 'dispute', { equal: { charge, payment_intent } })
  }),
  route('GET /v1/disputes/:id', {}, ({ tx, id }) => tx.need('dispute', id)),
  route('POST /v1/disputes/:id', UPDATE, update),
  route('POST /v1/disputes/:id/close', {}, ({ tx, id }) => settle(tx, openDispute(tx, id), 'lost')),
]

/**
 * A customer's bank takes a payment back until the matter is settled. The platform bears it: a destination charge is
 * the platform's (docs.stripe.com/connect/disputes). The sandbox takes no dispute fee. With an inquiry the bank only asks, and takes nothing
 * (docs.stripe.com/disputes/how-disputes-work).
 */
export function dispute(tx: Tx, chargeId: string, kind: 'chargeback' | 'inquiry' = 'chargeback'): Dispute {
  const charge = tx.need('charge', chargeId)
  if (charge.disputed || charge.status !== 'succeeded' || charge.refunded)
    throw invalid(`Charge ${chargeId} cannot be disputed.`)
  const made = tx.make('dispute', {
    amount: charge.amount - charge.amount_refunded,
    charge: charge.id,
    currency: charge.currency,
    evidence_details: {
      due_by: tx.now + DAYS_TO_ANSWER * 86_400,
      has_evidence: false,
      past_due: false,
      submission_count: 0,
    },
    is_charge_refundable: kind === 'inquiry',
    payment_intent: charge.payment_intent,
    reason: 'fraudulent',
    status: kind === 'inquiry' ? 'warning_needs_response' : 'needs_response',
  })
  tx.add(made, { parent: charge.id })
  const days = kind === 'inquiry' ? DAYS_OF_INQUIRY : DAYS_TO_ANSWER
  tx.schedule('lose-dispute', made.id, tx.now + days * 86_400)
  if (kind === 'chargeback') adjust(tx, made, -made.amount)
  const before = tx.change(charge, { disputed: true })
  tx.emit('charge.updated', charge, before)
  tx.emit('charge.dispute.created', made)
  if (kind === 'chargeback') tx.emit('charge.dispute.funds_withdrawn', made)
  markAnswered(tx, charge.id)
  return made
}

/** Whether the bank only asks, or asked. */
export function isInquiry({ status }: Pick<Dispute, 'status'>): boolean {
  return status.startsWith('warning_')
}

/** The bank takes back what is left of the payment that it asked about: the same dispute goes on. Of one that was refunded it takes nothing. */
function escalate(tx: Tx, found: Dispute): Dispute {
  const charge = tx.need('charge', found.charge)
  const amount = charge.amount - charge.amount_refunded
  if (amount === 0) return settle(tx, found, 'won')
  const before = tx.change(found, { amount, is_charge_refundable: false, status: 'needs_response' })
  tx.schedule('lose-dispute', found.id, tx.now + DAYS_TO_ANSWER * 86_400)
  adjust(tx, found, -amount)
  tx.emit('charge.dispute.updated', found, before)
  tx.emit('charge.dispute.funds_withdrawn', found)
  return found
}

/** Nobody answered in time: the bank keeps the money. */
export function loseUnanswered(tx: Tx, id: string): void {
  settle(tx, tx.need('dispute', id), 'lost')
}

/** Evidence that is not sent stays a draft; a bank takes it once. */
function update({ tx, params, id }: CallWith<typeof UPDATE>): Dispute {
  const found = openDispute(tx, id)
  const evidence = { ...found.evidence, ...checkEvidence(params.evidence ?? {}) }
  if (String(Object.values(evidence).join('')).length > ALL_TEXTS_MAX)
    throw invalid(`The combined character count of evidence is more than ${ALL_TEXTS_MAX}.`, 'evidence')
  const hasEvidence = Object.values(evidence).some((one) => one !== '')
  const isSent = found.status === 'under_review' || found.status === 'warning_under_review'
  if (params.evidence && isSent)
    throw invalid('This dispute already has evidence submitted and can no longer be updated.')
  const submits = params.submit !== false && hasEvidence && !isSent
  const before = tx.change(found, {
    evidence,
    metadata: mergeMetadata(found.metadata, params.metadata),
    evidence_details: {
      ...found.evidence_details,
      has_evidence: hasEvidence,
      submission_count: isSent || submits ? 1 : 0,
    },
    ...(submits && {
      status: isInquiry(found) ? ('warning_under_review' as const) : ('under_review' as const),
    }),
  })
  if (submits) tx.schedule('lose-dispute', id, null)
  tx.emit('charge.dispute.updated', found, before)
  // As in Stripe's test mode, these words decide the case.
  if (submits && isInquiry(found) && evidence.uncategorized_text === 'escalate_inquiry_evidence')
    return escalate(tx, found)
  if (submits && evidence.uncategorized_text === 'winning_evidence') return settle(tx, found, 'won')
  if (submits && evidence.uncategorized_text === 'losing_evidence') return settle(tx, found, 'lost')
  return found
}

function checkEvidence(evidence: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(evidence).map(([name, value]) => {
      const param = `evidence[${name}]`
      if (!EVIDENCE_TEXTS.includes(name)) throw invalid(`Received unknown parameter: ${param}`, param)
      const words = String(value)
      if (words.length > TEXT_MAX)
        throw invalid(`Invalid string: must be at most ${TEXT_MAX} characters`, param)
      return [name, words]
    }),
  )
}

function settle(tx: Tx, found: Dispute, status: 'won' | 'lost'): Dispute {
  const wasInquiry = isInquiry(found)
  const before = tx.change(found, { status: wasInquiry ? 'warning_closed' : status })
  tx.schedule('lose-dispute', found.id, null)
  if (status === 'won' && !wasInquiry) {
    adjust(tx, found, found.amount)
    tx.emit('charge.dispute.funds_reinstated', found)
  }
  tx.emit('charge.dispute.closed', found, before)
  return found
}

function adjust(tx: Tx, found: Dispute, amount: number): void {
  const id = movePlatform(tx, {
    currency: found.currency,
    amount,
    kind: 'adjustment',
    source: found.id,
  })
  const transaction = tx.need('balance_transaction', id)
  tx.change(found, { balance_transactions: [...found.balance_transactions, transaction] })
}

function openDispute(tx: Tx, id: string): Dispute {
  const found = tx.need('dispute', id)
  if (['won', 'lost', 'warning_closed'].includes(found.status))
    throw invalid('This dispute is already closed.')
  return found
}
