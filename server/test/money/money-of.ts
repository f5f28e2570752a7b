import type Stripe from 'stripe'

/**
 * The money that went to a connected account: the part that lies there, pending or available, and the part that its bank got.
 * @param account null for the platform, which is paid nothing out
 * @returns cents
 */
export async function moneyOf(stripe: Stripe, account: string | null): Promise<number> {
  const whose = account === null ? {} : { stripeAccount: account }
  const { available, pending } = await stripe.balance.retrieve({}, whose)
  const payouts = await stripe.payouts.list({ limit: 100 }, whose).autoPagingToArray({ limit: 10_000 })
  return [...available, ...pending, ...payouts].reduce((total, { amount }) => total + amount, 0)
}
