import { TRADER_WAIT_DAYS } from '@tradepost/contract/consent'
import type { SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { leftOf, type StripeInvoice } from '../../stripe/invoices.ts'
import { type EndReason, isLive, type Pair, type StripeSubscription } from '../../stripe/subscriptions.ts'
import {
  collectionDebt,
  endDebt,
  isChargeback,
  isCollected,
  isReturnedWhole,
  type NewDebt,
  refundDebt,
  reversalDebt,
  transferDebt,
  voidDebt,
} from '../debts/debts.ts'
import { centsToTakeBack } from '../debts/trader-share.ts'
import { type Closed, isOverBy, type PairRow, type Suspended } from '../entitlements/pair.queries.ts'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
import type { PresentPrice } from '../prices/followers-price.ts'
import { DAY_MS, graceDays, isFirstAfterTrial } from './grace.ts'
import { type JudgedPrice, judgePrice } from './judge-price.ts'

/**
 * How long subscriptions stay paused, without being charged, while their trader has lost payouts or is suspended: thirty
 * days, then they end (rule G-56).
 */
const WAIT_FOR_PAYOUTS_MS = TRADER_WAIT_DAYS * DAY_MS

/** Since when Stripe asks for a payment without a break, nothing, or that Stripe did not answer the question. */
export type Owed = { kind: 'since'; instant: Date } | { kind: 'nothing' } | { kind: 'unread' }

/** One subscription as it was read at Stripe and in the database, before the rules of money are applied. */
export type Unjudged = {
  pair: Pair
  subscription: StripeSubscription
  invoices: StripeInvoice[]
  /** The subscription's row; null when it is not in the database yet. */
  row: PairRow | null
  /** The pair has another live subscription that stays, so this one ends (`findDoubles`). */
  isDouble: boolean
  /** It began with free days that were refused (rule G-123). */
  isTrialRefused: boolean
  /** The trader's payout account; null when payouts were never set up. */
  payouts: PayoutAccount | null
  suspended: Suspended
  closed: Closed
  /** Days from the oldest owed payment to the end of the subscription; 21 unless `PAST_DUE_DAYS` is set (rule G-33). */
  pastDueDays: number
  /** `nothing` for a subscription that is not past due. */
  owed: Owed
  /** The trader's price that this subscription can have; null where they have named none. */
  present: PresentPrice | null
}

/** The decision by the rules of money about a subscription: what is written, and what is to be done at Stripe. */
export type Judged = Unjudged & {
  /** The status that decides about access: Stripe's, or `canceled` as soon as the product has decided to end it. */
  status: SubscriptionStatus
  /** Why the product ends it or has ended it; null when the product does not end it. */
  reason: EndReason | null
  owes: NewDebt[]
  /** Of a subscription that the product does not end. */
  price: JudgedPrice | null
}

/** Applies the rules of money (rules G-33, G-53, G-55, G-56, G-117, G-122, G-123) to what was read. Calls nothing and changes nothing. */
export function judgeSubscription(facts: Unjudged, now: Date): Judged {
  const { row, subscription } = facts
  const reason = row?.endReason ?? subscription.endReason ?? reasonToEnd(facts, now)
  const status = reason !== null && isLive(subscription) ? 'canceled' : subscription.status
  const price = reason === null ? judgePrice(facts) : null
  const owes = [...debtsOfEnd(facts, reason, status), ...debtsOfDisputes(facts), ...(price?.owes ?? [])]
  return { ...facts, reason, status, owes, price }
}

/** Whether the product itself has to end this subscription, and why. */
function reasonToEnd({ subscription, ...facts }: Unjudged, now: Date): EndReason | null {
  if (!isLive(subscription)) return null
  if (facts.pair.traderId === facts.pair.subscriberId) return 'to_oneself'
  if (facts.isDouble) return 'double'
  if (facts.invoices.some(({ dispute }) => dispute && isChargeback(dispute))) return 'dispute'
  const closed = reasonOfClosing(facts.closed, subscription.createdAt)
  if (closed !== null) return closed
  if (facts.isTrialRefused) return 'trial_used'
  const { payouts, suspended } = facts
  if (isOverdue({ subscription, ...facts }, now)) return 'unpaid'
  if (payouts === null || subscription.destination !== payouts.stripeAccountId) return 'trader_unavailable'
  return isOutOfReach(payouts, suspended, now) ? 'trader_unavailable' : null
}

/** Why a closed account ends a subscription that began at an instant; null where it does not. */
export function reasonOfClosing(closed: Closed, startedAt: Date): EndReason | null {
  if (isOverBy(closed.subscriber, startedAt)) return 'account_closed'
  return isOverBy(closed.trader, startedAt) ? 'trader_unavailable' : null
}

/**
 * Since when a subscription has been past due: the date of the oldest invoice that is owed. Where Stripe did not answer,
 * the date that the last run stored.
 * @returns null when it is not past due, when nothing is owed, or when neither date is known
 */
export function pastDueSince({
  owed,
  row,
  subscription,
}: Pick<Unjudged, 'owed' | 'row' | 'subscription'>): Date | null {
  if (subscription.status !== 'past_due' || owed.kind === 'nothing') return null
  return owed.kind === 'since' ? owed.instant : (row?.pastDueSince ?? null)
}

/**
 * Whether a payment has been owed for so long that the product ends the subscription. A Stripe account can be set to leave
 * subscriptions past due for ever, so the limit is the product's (ADR 0027).
 */
function isOverdue(facts: Omit<Unjudged, 'pair'>, now: Date): boolean {
  const since = pastDueSince(facts)
  if (since === null) return false
  const days = graceDays(facts.pastDueDays, isFirstAfterTrial(facts.subscription.trialEnd, since))
  return now.getTime() - since.getTime() >= days * DAY_MS
}

/** Whether a trader's subscriptions end: the account is closed, or payouts have been lost or the trader suspended for 30 days. */
export function isOutOfReach(
  { closedAt, lostAt }: PayoutAccount,
  suspended: Pick<Suspended, 'trader'>,
  now: Date,
): boolean {
  const waited = (since: Date | null) =>
    since !== null && now.getTime() - since.getTime() >= WAIT_FOR_PAYOUTS_MS
  return closedAt !== null || waited(lostAt) || waited(suspended.trader)
}

function debtsOfEnd(facts: Unjudged, reason: EndReason | null, status: SubscriptionStatus): NewDebt[] {
  const { invoices, payouts, row, subscription, suspended } = facts
  const owes: NewDebt[] = []
  if (reason !== null && (isLive(subscription) || row?.endReason !== reason)) {
    owes.push(endDebt(subscription, reason))
    if (isReturnedWhole(reason)) owes.push(...invoices.flatMap((one) => wholeRefund(facts, one, reason)))
  }
  // Open invoices of an ended subscription can still be paid in Stripe's portal, for months without access (rule G-33).
  if (!isLive({ status }) && (row === null || isLive(row))) owes.push(voidDebt(subscription))
  if (reason === null && isLive(subscription)) {
    const collects = isCollected(payouts, suspended)
    if (collects ? subscription.pausedForPayouts : !subscription.paused)
      owes.push(collectionDebt(subscription))
  }
  return owes
}

function wholeRefund(
  { subscription }: Unjudged,
  { id, payment }: StripeInvoice,
  reason: EndReason,
): NewDebt[] {
  const left = payment ? leftOf(payment) : 0
  return left > 0 ? [refundDebt(subscription, id, reason, left)] : []
}

function debtsOfDisputes({ invoices, subscription }: Unjudged): NewDebt[] {
  return invoices.flatMap(({ dispute, id, payment }) => {
    if (!dispute || !payment?.transfer || !isChargeback(dispute)) return []
    if (dispute.status === 'won') return [transferDebt(subscription, id, dispute)]
    const cents = centsToTakeBack(payment, dispute)
    return cents > 0 ? [reversalDebt(subscription, id, dispute, cents)] : []
  })
}
