import { queryOptions } from '@tanstack/react-query'
import type { BillingInterval } from '@tradepost/contract/billing-interval'
import {
  CUSTOMER_FRESH_MS,
  SUBSCRIPTION_CHECK_FRESH_MS,
  SUBSCRIPTIONS_FRESH_MS,
} from '@tradepost/contract/limits'
import { paymentEndpoints } from '@tradepost/contract/payment-endpoints'
import type { SubscriptionsAnswer } from '@tradepost/contract/subscriptions'
import type { TrialDays } from '@tradepost/contract/trial'
import { call } from '../../lib/api.ts'
import { ApiRefusal } from '../../lib/api-refusal.ts'
import { triedOnce } from '../../lib/query-client.ts'
import { useSwitch } from '../../lib/use-switch.ts'
import { toast } from '../../ui/toast.ts'
import { SUBSCRIPTIONS } from './payment-keys.ts'

/** Whether billing has been set up; one try (docs/specification.md section 9). */
export const customerQuery = queryOptions({
  queryKey: ['customer'],
  queryFn: ({ signal }) => call(paymentEndpoints.customer, undefined, signal),
  ...triedOnce(CUSTOMER_FRESH_MS),
})

/** The viewer's current and former subscriptions, and whether mails about them are withheld; only for somebody whose billing is set up (rule G-31). */
export const subscriptionsQuery = queryOptions({
  queryKey: [SUBSCRIPTIONS, 'list'],
  queryFn: ({ signal }) => call(paymentEndpoints.subscriptions, undefined, signal),
  staleTime: SUBSCRIPTIONS_FRESH_MS,
})

/** Whether the viewer follows a trader, however the name is spelled (rule G-32). */
export function subscriptionCheckQuery(username: string) {
  return queryOptions({
    queryKey: [SUBSCRIPTIONS, 'check', username.toLowerCase()],
    queryFn: ({ signal }) => call(paymentEndpoints.subscriptionCheck, { id: username }, signal),
    staleTime: SUBSCRIPTION_CHECK_FRESH_MS,
  })
}

/**
 * How often a subscription is to renew, and the price in cents that the page shows for it, with a code that takes something off; null where
 * it shows no price.
 */
export type ShownTerms = { interval: BillingInterval; priceCents: number; discountCode?: string } | null

/**
 * Starts the checkout of a subscription, after setting up billing where that is still to do (docs/specification.md section 2).
 * @param trialDays the free days that were shown; null for none
 * @returns the provider's page to go to
 */
export async function startCheckout(
  username: string,
  configured: boolean,
  shown: ShownTerms,
  trialDays: TrialDays | null,
): Promise<string> {
  if (!configured) await call(paymentEndpoints.setUpCustomer)
  const trial = trialDays && { trialDays }
  return (await call(paymentEndpoints.newSubscription, { username, ...shown, ...trial })).url
}

/** Whether a checkout was refused because the trader asks for something else by now than the page shows. */
export function isOfOldPrice(reason: unknown): boolean {
  const codes = ['subscription_price_changed', 'yearly_not_offered']
  return reason instanceof ApiRefusal && codes.includes(reason.code)
}

/** Starts or goes on with the set-up of payouts, and with it agrees to the terms. Returns the provider's page to go to. */
export async function startOnboarding(): Promise<string> {
  return (await call(paymentEndpoints.startOnboarding)).url
}

/** A way into the trader's dashboard at the provider. */
export async function openPayoutDashboard(): Promise<string> {
  return (await call(paymentEndpoints.payoutDashboard)).url
}

/** A way into the billing portal; with a subscription's id, at that subscription. */
export async function openPortal(id?: string): Promise<string> {
  const { url } = await (id === undefined
    ? call(paymentEndpoints.customerSession)
    : call(paymentEndpoints.manageSubscription, { id }))
  return url
}

/**
 * A way into the billing portal, at the viewer's subscription to a trader. Not asked through the cache: the live feed calls
 * off what the cache asks for.
 */
export async function openPortalFor(username: string): Promise<string> {
  const { id } = await call(paymentEndpoints.subscriptionCheck, { id: username })
  return openPortal(id ?? undefined)
}

/** Turns the mails about one trader on or off (rule G-63). */
export function useMailSwitch(id: string) {
  return useSwitch<SubscriptionsAnswer>({
    name: `mail ${id}`,
    onFailure: (message) => toast.error(message),
    queryKey: subscriptionsQuery.queryKey,
    turn: async (enabled) =>
      (await call(paymentEndpoints.switchSubscriptionMail, { id, enabled })).mailEnabled,
    turned: (answer, mailEnabled) => ({
      ...answer,
      subscriptions: answer.subscriptions.map((one) => (one.id === id ? { ...one, mailEnabled } : one)),
    }),
  })
}
