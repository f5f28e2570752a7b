import { sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'
import { subscriptionTerms } from './subscription-terms.ts'
import type { Pair } from './subscriptions.ts'

/** Gives a customer a card, as the hosted page does. @returns its id @throws what Stripe throws */
export async function attachCard(deps: StripeDeps, customer: string, card: string): Promise<string> {
  return (await sdkOf(deps).paymentMethods.attach(card, { customer })).id
}

/** @property since when it began, which may be long ago; it is paid for from now on */
type Bought = {
  customer: string
  card: string
  price: string
  destination: string
  feePercent: string
  since: Date
}

/** Makes what a checkout would have made, without its page: for the demo world. @returns its id @throws what Stripe throws */
export async function createSubscription(
  deps: StripeDeps,
  pair: Pair,
  { card, customer, price, since, ...money }: Bought,
  now: Date,
): Promise<string> {
  const past = {
    backdate_start_date: Math.floor(since.getTime() / 1000),
    proration_behavior: 'none',
  } as const
  const { id } = await sdkOf(deps).subscriptions.create({
    ...subscriptionTerms(deps.settings, pair, money),
    customer,
    default_payment_method: card,
    items: [{ price, quantity: 1 }],
    ...(since < now && past),
  })
  return id
}
