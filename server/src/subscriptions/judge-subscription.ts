import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import type { PayoutAccount } from '../payments/payout-accounts.queries.ts'
import type { NewDebt } from './debts.queries.ts'
import {
  centsToTakeBack,
  collectionDebt,
  endDebt,
  refundDebt,
  reversalDebt,
  transferDebt,
  voidDebt,
} from './debts.ts'
import type { EndReason, PairRow, Suspended } from './pair.queries.ts'
import { isChargeback } from './settle-dispute.ts'
import type { StripeInvoice } from './stripe-invoice.ts'
import { isLive, type Pair, type StripeSubscription } from './stripe-subscription.ts'

const DAY_MS = 86_400_000

/** How long subscribers wait, without paying, for a trader who lost their payouts (decision G-56). */
const WAIT_FOR_PAYOUTS_MS = 30 * DAY_MS

export type Unjudged = {
  pair: Pair
  subscription: StripeSubscription
  invoices: StripeInvoice[]
  /** As it is stored here; null when it is new. */
  row: PairRow | null
  /** An older one of the pair lives. */
  isDouble: boolean
  /** The trader's; null when there is none. */
  payouts: PayoutAccount | null
  suspended: Suspended
  /** How long access outlasts a payment that is owed (decision G-33). */
  pastDueDays: number
  /** Since when Stripe asks for something of it without a break; null when it does not, or would not say. */
  owedSince: Date | null
}

/** What is to be written of a subscription, and what has still to be done at Stripe because of it. */
export type Judged = Unjudged & {
  /** What counts for access: Stripe's, unless the product has ended it. */
  status: SubscriptionStatus
  /** Why the product ends it, or has ended it; null when it does not. */
  reason: EndReason | null
  owes: NewDebt[]
}

/** Applies the rules of money to what is true at Stripe. Asks nobody and changes nothing. */
export function judgeSubscription(facts: Unjudged, now: Date): Judged {
  const { row, subscription } = facts
  const reason = row?.endReason ?? subscription.endReason ?? reasonToEnd(facts, now)
  const status = reason !== null && isLive(subscription) ? 'canceled' : subscription.status
  return { ...facts, reason, status, owes: [...debtsOfEnd(facts, reason, status), ...debtsOfDisputes(facts)] }
}

/** Whether the product itself has to end this subscription, and why. */
function reasonToEnd({ subscription, ...facts }: Unjudged, now: Date): EndReason | null {
  if (!isLive(subscription)) return null
  if (facts.pair.traderId === facts.pair.subscriberId) return 'to_oneself'
  if (facts.isDouble) return 'double'
  if (facts.invoices.some(({ dispute }) => dispute && isChargeback(dispute))) return 'dispute'
  const { payouts, suspended } = facts
  if (isOverdue({ subscription, ...facts }, now)) return 'unpaid'
  if (payouts === null || subscription.destination !== payouts.stripeAccountId) return 'trader_unavailable'
  return isOutOfReach(payouts, suspended, now) ? 'trader_unavailable' : null
}

/** Since when a renewal is owed: Stripe does not say it, but its invoice was made when it should have been paid. */
export function pastDueSince({ owedSince, row, subscription }: Omit<Unjudged, 'pair'>): Date | null {
  if (subscription.status !== 'past_due') return null
  return owedSince ?? row?.pastDueSince ?? null
}

/** Stripe's retries decide when past due ends, but ours is the last word: an account may be set to leave it so for ever. */
function isOverdue(facts: Omit<Unjudged, 'pair'>, now: Date): boolean {
  const since = pastDueSince(facts)
  return since !== null && now.getTime() - since.getTime() >= facts.pastDueDays * DAY_MS
}

/** Whether a trader cannot be paid any more: their account is closed, or they have waited too long, or been suspended. */
export function isOutOfReach(
  { closedAt, lostAt }: PayoutAccount,
  suspended: Pick<Suspended, 'trader'>,
  now: Date,
): boolean {
  const waited = (since: Date | null) =>
    since !== null && now.getTime() - since.getTime() >= WAIT_FOR_PAYOUTS_MS
  return closedAt !== null || waited(lostAt) || waited(suspended.trader)
}

/** Whether anything is charged: the trader can be paid, and nobody of the two is suspended (decision G-56). */
export function isCollected(payouts: PayoutAccount | null, suspended: Suspended): boolean {
  return payouts?.lostAt === null && suspended.trader === null && suspended.subscriber === null
}

function debtsOfEnd(facts: Unjudged, reason: EndReason | null, status: SubscriptionStatus): NewDebt[] {
  const { invoices, payouts, row, subscription, suspended } = facts
  const owes: NewDebt[] = []
  if (reason !== null && (isLive(subscription) || row?.endReason !== reason)) {
    owes.push(endDebt(subscription, reason))
    if (isReturnedWhole(reason)) owes.push(...invoices.flatMap((one) => wholeRefund(facts, one, reason)))
  }
  // Stripe keeps asking for what an ended subscription owes: nobody may pay for what they do not get any more.
  if (!isLive({ status }) && (row === null || isLive(row))) owes.push(voidDebt(subscription))
  if (reason === null && isLive(subscription)) {
    const collects = isCollected(payouts, suspended)
    if (collects ? subscription.pausedForPayouts : !subscription.paused)
      owes.push(collectionDebt(subscription))
  }
  return owes
}

/** Whether all that was ever paid for it goes back: nobody had anything of it. */
export function isReturnedWhole(reason: EndReason): boolean {
  return reason === 'double' || reason === 'to_oneself'
}

function wholeRefund(
  { subscription }: Unjudged,
  { id, payment }: StripeInvoice,
  reason: EndReason,
): NewDebt[] {
  const left = payment ? payment.paidCents - payment.refundedCents : 0
  return left > 0 ? [refundDebt(subscription, id, reason, left)] : []
}

function debtsOfDisputes({ invoices, subscription }: Unjudged): NewDebt[] {
  return invoices.flatMap(({ dispute, id, payment }) => {
    if (!dispute || !payment?.transfer || !isChargeback(dispute)) return []
    if (dispute.status === 'won') return [transferDebt(subscription, id, dispute)]
    const cents = centsToTakeBack(payment.transfer, dispute)
    return cents > 0 ? [reversalDebt(subscription, id, dispute, cents)] : []
  })
}
