/** How often a subscription renews. */
export const BILLING_INTERVALS = ['month', 'year'] as const
export type BillingInterval = (typeof BILLING_INTERVALS)[number]

/** How many months an interval has. */
export const MONTHS_OF: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 }

/**
 * When a subscription renews that is paid at an instant: the same day of a later month in UTC, or the month's last one where it has none, as
 * Stripe has it.
 */
export function renewalAfter(paidAt: Date, interval: BillingInterval): Date {
  const renewal = new Date(paidAt)
  renewal.setUTCDate(1)
  renewal.setUTCMonth(renewal.getUTCMonth() + MONTHS_OF[interval])
  const last = new Date(Date.UTC(renewal.getUTCFullYear(), renewal.getUTCMonth() + 1, 0)).getUTCDate()
  renewal.setUTCDate(Math.min(paidAt.getUTCDate(), last))
  return renewal
}
