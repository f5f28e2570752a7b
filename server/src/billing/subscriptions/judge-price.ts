import { discountedCents } from '@tradepost/contract/discount-code'
import type { StripeInvoice } from '../../stripe/invoices.ts'
import { isLive, type StripeSubscription } from '../../stripe/subscriptions.ts'
import { type NewDebt, NOT_AGREED, priceDebt, refundDebt } from '../debts/debts.ts'
import type { PairRow } from '../entitlements/pair.queries.ts'
import {
  type FollowedPrice,
  isCharged,
  isCovered,
  keptCents,
  mayRise,
  type PresentPrice,
  wantedCents,
} from '../prices/followers-price.ts'

/** @property knownCents the follower's price until now, where it becomes lower; null where it does not */
export type JudgedPrice = { owes: NewDebt[]; isCharged: boolean; knownCents: number | null }

/** Applies rule G-122 to what was read of a subscription that the product does not end: which price it has to have, and what goes back. */
export function judgePrice({
  invoices,
  present,
  row,
  subscription,
}: {
  subscription: StripeSubscription
  invoices: StripeInvoice[]
  row: PairRow | null
  present: PresentPrice | null
}): JudgedPrice {
  const price = { ...(row?.price ?? { kept: null, agreement: null }), priceCents: subscription.priceCents }
  const owes = invoices.flatMap((invoice) => returnOf(subscription, invoice, price, present))
  if (!isLive(subscription) || subscription.status === 'incomplete')
    return { owes, isCharged: false, knownCents: null }
  const charged = isCharged(price, present, subscription.currentPeriodEnd)
  const of = charged ? { ...price, kept: null } : price
  const wanted = wantedCents(of, present, {
    periodEnd: subscription.currentPeriodEnd,
    mayRise: mayRise(subscription),
  })
  if (wanted !== subscription.priceCents) owes.push(priceDebt(subscription))
  const kept = keptCents(of)
  return { owes, isCharged: charged, knownCents: wanted < kept ? kept : null }
}

/** The refund of what was charged above the price that the follower keeps, by a renewal that no agreement covers. */
function returnOf(
  subscription: StripeSubscription,
  invoice: StripeInvoice,
  price: FollowedPrice,
  present: PresentPrice | null,
): NewDebt[] {
  const { agreement, kept } = price
  const { createdAt, id, isRenewal, payment, subtotalCents } = invoice
  if (!isRenewal || !payment || kept === null || createdAt <= kept.since) return []
  const isAgreed = agreement !== null && agreement.cents >= subtotalCents
  if (subtotalCents <= kept.cents || (isAgreed && isCovered(price, present, createdAt))) return []
  const cents = payment.paidCents - discountedAlike(kept.cents, subscription, invoice)
  return cents > 0 ? [refundDebt(subscription, id, NOT_AGREED, cents)] : []
}

/**
 * A price with the discounts of an invoice taken off. Of one that the subscription has no more the terms are not known: as many cents go off as
 * of the invoice, which no percentage of a lower price exceeds.
 */
function discountedAlike(
  cents: number,
  { discounts }: StripeSubscription,
  { amountDueCents, discountIds, subtotalCents }: StripeInvoice,
): number {
  const known = discounts.filter(({ id }) => discountIds.includes(id))
  if (known.length === discountIds.length) return known.reduce(discountedCents, cents)
  return Math.max(0, cents - (subtotalCents - amountDueCents))
}
