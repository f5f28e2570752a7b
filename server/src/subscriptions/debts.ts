import type { Queryable } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { insertDebt, type NewDebt } from './debts.queries.ts'
import type { EndReason } from './pair.queries.ts'
import type { InvoiceDispute, InvoicePayment } from './stripe-invoice.ts'
import type { Pair } from './stripe-subscription.ts'

/**
 * Writes what has been decided and is to be done at Stripe, in the transaction that writes the decision; `settleDebts`
 * does it. Safe to repeat: one debt a kind, subject and cause.
 * @returns whether it is open because of this call
 */
export function oweDebt(tx: Queryable, pair: Pair, debt: NewDebt, now: Date): Promise<boolean> {
  return insertDebt(tx, { ...pair, ...debt, id: newId() }, now)
}

/** What a debt is about at least: the subscription by Stripe's id, and the currency of its money. */
type Of = { id: string; currency: string }

export function endDebt({ currency, id }: Of, cause: EndReason): NewDebt {
  return { kind: 'end', subscriptionId: id, subject: id, invoiceId: null, cause, amountCents: null, currency }
}

/** What an ended subscription still asks for. */
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

/** Collection is stopped or resumed, whichever is right when it is done. */
export function collectionDebt({ currency, id }: Of): NewDebt {
  const [kind, cause] = ['collection', 'payouts'] as const
  return { kind, subscriptionId: id, subject: id, invoiceId: null, cause, amountCents: null, currency }
}

/** @param amountCents of the payment of that invoice; the whole of what is left is returned for some causes */
export function refundDebt(
  { currency, id }: Of,
  invoiceId: string,
  cause: EndReason,
  amountCents: number,
): NewDebt {
  return { kind: 'refund', subscriptionId: id, subject: invoiceId, invoiceId, cause, amountCents, currency }
}

/** The trader bears what the bank took back. */
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

/** The bank gave it back: so does the platform. */
export function transferDebt({ currency, id }: Of, invoiceId: string, dispute: InvoiceDispute): NewDebt {
  const [kind, cause] = ['transfer', 'dispute_won'] as const
  return { kind, subscriptionId: id, subject: dispute.id, invoiceId, cause, amountCents: null, currency }
}

/** What of a disputed payment the trader still has and has to give back, in cents. */
export function centsToTakeBack(
  transfer: InvoicePayment['transfer'],
  dispute: Pick<InvoiceDispute, 'amountCents'>,
): number {
  return transfer ? Math.min(dispute.amountCents, transfer.amountCents - transfer.reversedCents) : 0
}
