/** How often a subscription renews. */
export const BILLING_INTERVALS = ['month', 'year'] as const
export type BillingInterval = (typeof BILLING_INTERVALS)[number]

/** How many months an interval has. */
export const MONTHS_OF: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 }
