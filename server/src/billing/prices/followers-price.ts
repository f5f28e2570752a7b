import { type BillingInterval, MONTHS_OF } from '@tradepost/contract/billing-interval'
import type { NewPrice } from '@tradepost/contract/subscriptions'
import type { Settings } from '../../platform/settings.ts'
import type { DatedPrices } from './own-prices.queries.ts'

/** Between a proposal and the first renewal that may have its price (rule G-122). */
const NOTICE_MS = 30 * 86_400_000

/** A follower's agreement, its amount in cents. @property from the first renewal that may have it @property chargedFrom the one that has, once Stripe knows */
type Agreement = { cents: number; proposedAt: Date; from: Date; chargedFrom: Date | null }

/** A subscription's price, in cents of its currency; the columns of server/migrations/0018_price_changes.sql. */
export type FollowedPrice = {
  /** It renews at this as things stand. */
  priceCents: number
  /** The most that renews without an agreement, and since when that is noted; null while it is `priceCents`. */
  kept: { cents: number; since: Date } | null
  agreement: Agreement | null
}

/** The trader's present price of an interval, in cents, and since when it is that without a break. */
export type PresentPrice = { cents: number; since: Date }

/** The trader's price that followers of an interval and currency can have; null where there is none, so that all keep theirs. */
export function presentPrice(
  named: Omit<DatedPrices, 'changedAt' | 'notifiedUntil'> | null,
  of: { interval: BillingInterval; currency: string },
  settings: Pick<Settings, 'subscriptionCurrency'>,
): PresentPrice | null {
  if (named === null || named.currency !== settings.subscriptionCurrency || named.currency !== of.currency)
    return null
  if (of.interval === 'month') return { cents: named.monthlyCents, since: named.monthlySince }
  if (named.yearlyCents === null || named.yearlySince === null) return null
  return { cents: named.yearlyCents, since: named.yearlySince }
}

/** The price that renews without an agreement, in cents. */
export function keptCents({ kept, priceCents }: FollowedPrice): number {
  return kept === null ? priceCents : Math.min(kept.cents, priceCents)
}

/** Whether the follower has agreed to the trader's present price, and it is not theirs yet. Of a proposal that was replaced nothing holds. */
export function hasAgreed({ agreement, kept }: FollowedPrice, present: PresentPrice): boolean {
  return kept !== null && agreement !== null && isOf(agreement, present)
}

const isOf = ({ cents, proposedAt }: Agreement, present: PresentPrice) =>
  cents === present.cents && proposedAt.getTime() === present.since.getTime()

/**
 * The price that a subscription has to have at Stripe (rule G-122): a lower one of the trader's at once, a higher one once it is agreed to
 * and the running period ends at a renewal that may have it; else what the follower keeps. The same whenever it is computed.
 * @param at.periodEnd of the running period: whatever is put on before it is charged from then
 * @param at.mayRise whether the subscription renews and nothing is owed; a price that has risen already stays
 * @returns cents
 */
export function wantedCents(
  of: FollowedPrice,
  present: PresentPrice | null,
  at: { periodEnd: Date | null; mayRise: boolean },
): number {
  const kept = keptCents(of)
  if (present === null) return kept
  if (present.cents <= kept) return present.cents
  if (!hasAgreed(of, present) || of.agreement === null || at.periodEnd === null) return kept
  const hasRisen = of.priceCents === present.cents
  const isTime = at.periodEnd >= of.agreement.from
  return isTime && (at.mayRise || hasRisen) ? present.cents : kept
}

/** Whether a higher price may be put on: the subscription renews, is charged, and owes nothing. */
export function mayRise(of: { status: string; cancelAt: Date | null; paused: boolean }): boolean {
  return (of.status === 'active' || of.status === 'trialing') && of.cancelAt === null && !of.paused
}

/** Whether the price that was agreed to has been charged: the period has passed that ran when it was put on. */
export function isCharged(of: FollowedPrice, present: PresentPrice | null, periodEnd: Date | null): boolean {
  const { agreement, kept, priceCents } = of
  if (kept === null || !agreement?.chargedFrom || periodEnd === null) return false
  if (periodEnd <= agreement.chargedFrom || priceCents !== agreement.cents) return false
  return isCovered(of, present, agreement.chargedFrom)
}

/** Whether what the follower has agreed to held at an instant: it holds until the trader's next change. */
export function isCovered({ agreement }: FollowedPrice, present: PresentPrice | null, at: Date): boolean {
  if (agreement === null || present === null) return false
  return isOf(agreement, present) || (agreement.proposedAt < present.since && at <= present.since)
}

/**
 * The proposal as a follower sees it.
 * @param follow.anchor its renewals come on that day
 * @returns null where nothing is proposed
 */
export function proposalOf(
  of: FollowedPrice,
  present: PresentPrice | null,
  follow: { interval: BillingInterval; anchor: Date; periodEnd: Date | null },
  now: Date,
): NewPrice | null {
  if (present === null || present.cents <= keptCents(of) || follow.periodEnd === null) return null
  const agreed = hasAgreed(of, present)
  const from =
    agreed && of.agreement
      ? (of.agreement.chargedFrom ?? of.agreement.from)
      : firstRenewal({ ...follow, periodEnd: follow.periodEnd }, present.since, now)
  return { priceCents: present.cents, agreed, from: from.toISOString() }
}

/** The first renewal that is to come and is thirty days after a proposal. */
function firstRenewal(
  follow: { interval: BillingInterval; anchor: Date; periodEnd: Date },
  proposedAt: Date,
  now: Date,
): Date {
  const earliest = Math.max(proposedAt.getTime() + NOTICE_MS, now.getTime())
  for (let nth = 0; ; nth += 1) {
    const renewal = renewalAfter(follow, nth)
    if (renewal.getTime() >= earliest) return renewal
  }
}

/** A renewal that is to come. @param nth 0 for the next one @param follow.anchor its renewals come on that day */
export function renewalAfter(
  follow: { interval: BillingInterval; anchor: Date; periodEnd: Date },
  nth: number,
): Date {
  return monthsLater(follow.periodEnd, nth * MONTHS_OF[follow.interval], follow.anchor)
}

/**
 * As Stripe counts: on the day of the anchor, and where a month has no such day on its last.
 * @param anchor the end of free days, else the beginning
 */
function monthsLater(from: Date, months: number, anchor: Date): Date {
  const isLastDay = daysOfMonth(from.getUTCFullYear(), from.getUTCMonth()) === from.getUTCDate()
  const day = isLastDay ? Math.max(from.getUTCDate(), anchor.getUTCDate()) : from.getUTCDate()
  const later = new Date(from)
  later.setUTCDate(1)
  later.setUTCMonth(later.getUTCMonth() + months)
  later.setUTCDate(Math.min(day, daysOfMonth(later.getUTCFullYear(), later.getUTCMonth())))
  return later
}

const daysOfMonth = (year: number, month: number) => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
