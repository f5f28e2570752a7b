import type Stripe from 'stripe'

/**
 * What a connected account has of the money that went to it: what lies there, pending or available, and what its bank got.
 * @param account null for the platform, which is paid nothing out
 * @returns cents
 */
export async function moneyOf(stripe: Stripe, account: string | null): Promise<number> {
  const whose = account === null ? {} : { stripeAccount: account }
  const { available, pending } = await stripe.balance.retrieve({}, whose)
  const payouts = await stripe.payouts.list({ limit: 100 }, whose).autoPagingToArray({ limit: 10_000 })
  return [...available, ...pending, ...payouts].reduce((total, { amount }) => total + amount, 0)
}
