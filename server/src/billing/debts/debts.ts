import type { InvoiceDispute } from '../../stripe/invoices.ts'
import type { EndReason } from '../../stripe/subscriptions.ts'

export type DebtKind =
  | 'end'
  | 'void'
  | 'refund'
  | 'reversal'
  | 'transfer'
  | 'collection'
  | 'price'
  | 'empty_month'
  | 'tax'

/** A debt before it is written; the columns of server/migrations/0004_money.sql. */
export type NewDebt = {
  kind: DebtKind
  /** Stripe's id of the subscription. */
  subscriptionId: string
  /** Stripe's id of what the debt is about: a subscription, an invoice or a dispute. */
  subject: string
  invoiceId: string | null
  cause: string
  amountCents: number | null
  currency: string
}

/** The subscription that a debt belongs to, by Stripe's id, and its currency. */
type Of = { id: string; currency: string }

/** To end the subscription at Stripe. */
export function endDebt({ currency, id }: Of, cause: EndReason): NewDebt {
  return { kind: 'end', subscriptionId: id, subject: id, invoiceId: null, cause, amountCents: null, currency }
}

/** To void the open invoices and drafts of an ended subscription (rule G-33). */
export function voidDebt({ currency, id }: Of): NewDebt {
  const cause = 'ended'
  return {
    kind: 'void',
    subscriptionId: id,
    subject: id,
    invoiceId: null,
    cause,
    amountCents: null,
    currency,
  }
}

/** To pause or resume collection, whichever is right when the debt is settled (rule G-56). */
export function collectionDebt({ currency, id }: Of): NewDebt {
  const [kind, cause] = ['collection', 'payouts'] as const
  return { kind, subscriptionId: id, subject: id, invoiceId: null, cause, amountCents: null, currency }
}

/** To put on the price that is right when the debt is settled (rule G-122). */
export function priceDebt({ currency, id }: Of): NewDebt {
  const [kind, cause] = ['price', 'named'] as const
  return { kind, subscriptionId: id, subject: id, invoiceId: null, cause, amountCents: null, currency }
}

/** Of a refund of what was charged above the price that a follower keeps, although they had not agreed, or not any more. */
export const NOT_AGREED = 'not_agreed'

/** Of a refund of the days that are left, where a subscription ended by a warning of an earlier payment (rule G-128). */
export const LEFT_AFTER_WARNING = 'fraud_warning_rest'

/**
 * To return a payment, or a part of it, to the subscriber.
 * @param amountCents at most this much of the invoice's payment; for causes that return everything, what is left of it counts
 */
export function refundDebt(
  { currency, id }: Of,
  invoiceId: string,
  cause: EndReason | typeof NOT_AGREED | typeof LEFT_AFTER_WARNING,
  amountCents: number,
): NewDebt {
  return { kind: 'refund', subscriptionId: id, subject: invoiceId, invoiceId, cause, amountCents, currency }
}

/** With it begins the cause of each month that goes back, also at Stripe. */
export const EMPTY_MONTH = 'empty_'

/**
 * To return a month in which nothing of its trader reached the subscriber (rule G-127); how much is computed when the debt is settled. The
 * cause is the month's first day, so that a month is owed once.
 * @param start of the month (UTC)
 */
export function emptyMonthDebt({ currency, id }: Of, invoiceId: string, start: Date): NewDebt {
  const [kind, cause] = ['empty_month', `${EMPTY_MONTH}${start.toISOString().slice(0, 10)}`] as const
  return { kind, subscriptionId: id, subject: invoiceId, invoiceId, cause, amountCents: null, currency }
}

/** To take the disputed amount back from the trader, who bears it (rule G-55). @param amountCents by `centsToTakeBack` */
export function reversalDebt(
  { currency, id }: Of,
  invoiceId: string,
  dispute: Pick<InvoiceDispute, 'id'>,
  amountCents: number,
): NewDebt {
  const cause = 'dispute'
  return {
    kind: 'reversal',
    subscriptionId: id,
    subject: dispute.id,
    invoiceId,
    cause,
    amountCents,
    currency,
  }
}

/** To give the trader the amount back after a dispute was won; how much is computed when the debt is settled. */
export function transferDebt({ currency, id }: Of, invoiceId: string, dispute: InvoiceDispute): NewDebt {
  const [kind, cause] = ['transfer', 'dispute_won'] as const
  return { kind, subscriptionId: id, subject: dispute.id, invoiceId, cause, amountCents: null, currency }
}

/**
 * To leave the trader their share of a taxed payment, no more and no less (rule G-131); how much moves is computed when the debt is settled.
 * @param leftCents of the payment that have not gone back: the trader's account is settled once for each such amount
 */
export function taxDebt({ currency, id }: Of, invoiceId: string, leftCents: number): NewDebt {
  const [kind, cause] = ['tax', `left_${leftCents}`] as const
  return { kind, subscriptionId: id, subject: invoiceId, invoiceId, cause, amountCents: null, currency }
}

/**
 * Whether the bank took the money back. An inquiry, as Stripe calls it (`warning_…`), moves none yet, and `prevented` never
 * will (docs.stripe.com/disputes/how-disputes-work).
 */
export function isChargeback(dispute: Pick<InvoiceDispute, 'status'>): boolean {
  return !dispute.status.startsWith('warning_') && dispute.status !== 'prevented'
}

/** Whether a bank has a payment, for now or for good. */
export function isWithBank({ disputeStatus: status }: { disputeStatus: string | null }): boolean {
  return status !== null && status !== 'won' && isChargeback({ status })
}

/** Whether renewals are charged: only while the trader can be paid and neither side is suspended (rule G-56). */
export function isCollected(
  payouts: { lostAt: Date | null } | null,
  suspended: { trader: Date | null; subscriber: Date | null },
): boolean {
  return payouts?.lostAt === null && suspended.trader === null && suspended.subscriber === null
}

/** Whether every payment is returned in full, because the subscriber never got anything for it. */
export function isReturnedWhole(reason: EndReason): boolean {
  return reason === 'double' || reason === 'to_oneself' || reason === 'trial_used'
}

/** Whether a refund of this cause returns all that is left of its payment, however much that is by then. */
export function returnsAll(cause: string): boolean {
  return cause === 'fraud_warning' || isReturnedWhole(cause as EndReason)
}
