import type Stripe from 'stripe'
import { type InvoiceDispute, readDispute } from './invoices.ts'
import { idOf, sdkOf, toDate } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'

/** A dispute as its answer needs it. */
export type DisputeCase = InvoiceDispute & {
  currency: string
  /** The bank's word for it, such as `product_not_received`. */
  reason: string
  /** When the bank stops waiting for an answer; null where it takes none. */
  dueAt: Date | null
  /** Whether evidence was put in, as a draft or for good. */
  hasEvidence: boolean
  /** Stripe's id of the payment; null for one of before payments had any. */
  paymentId: string | null
}

/** The fields of evidence that the product fills: texts of at most 20,000 characters, 150,000 together (docs.stripe.com/api/disputes). */
export type EvidenceFields = Pick<
  Stripe.DisputeUpdateParams.Evidence,
  | 'access_activity_log'
  | 'cancellation_policy_disclosure'
  | 'cancellation_rebuttal'
  | 'customer_email_address'
  | 'product_description'
  | 'refund_policy_disclosure'
  | 'service_date'
  | 'uncategorized_text'
>

/** Characters of one text of evidence. */
export const EVIDENCE_TEXT_MAX = 20_000

/** @throws what Stripe throws */
export async function fetchCase(deps: StripeDeps, id: string): Promise<DisputeCase> {
  return readCase(await sdkOf(deps).disputes.retrieve(id))
}

/** Disputes of the account that wait for an answer, the newest first; also those of other products. @throws what Stripe throws */
export async function* eachOpenCase(deps: StripeDeps): AsyncGenerator<DisputeCase> {
  for await (const dispute of sdkOf(deps).disputes.list({ limit: 100 })) {
    const one = readCase(dispute)
    if (isUnanswered(one)) yield one
  }
}

/** Whether the bank, or an inquiry of it, waits for an answer. */
export function isUnanswered({ status }: Pick<DisputeCase, 'status'>): boolean {
  return status === 'needs_response' || status === 'warning_needs_response'
}

/** Puts evidence in as a draft: the bank sees none of it yet. Safe to repeat. @throws what Stripe throws */
export async function draftEvidenceAtStripe(
  deps: StripeDeps,
  id: string,
  evidence: EvidenceFields,
): Promise<void> {
  await sdkOf(deps).disputes.update(id, { evidence, submit: false })
}

/** Sends what was put in to the bank, which takes it once. @throws what Stripe throws */
export async function submitEvidence(deps: StripeDeps, id: string): Promise<void> {
  await sdkOf(deps).disputes.update(id, { submit: true })
}

function readCase(dispute: Stripe.Dispute): DisputeCase {
  const { due_by: dueBy, has_evidence: hasEvidence } = dispute.evidence_details
  return {
    ...readDispute(dispute),
    currency: dispute.currency,
    reason: dispute.reason,
    dueAt: toDate(dueBy),
    hasEvidence,
    paymentId: dispute.payment_intent && idOf(dispute.payment_intent),
  }
}
