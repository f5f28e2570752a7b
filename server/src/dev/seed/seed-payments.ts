import { formatMoney } from '@tradepost/contract/money'
import type { TrialDays } from '@tradepost/contract/trial'
import { setUpCustomer } from '../../billing/customers/set-up-customer.ts'
import { addCode } from '../../billing/discounts/own-codes.ts'
import { setOwnPrices } from '../../billing/offers/own-prices.ts'
import { openPayoutAccount } from '../../billing/payouts/open-payout-account.ts'
import { findPayoutAccount } from '../../billing/payouts/payout-accounts.queries.ts'
import { isReady } from '../../billing/payouts/payout-status.ts'
import { syncAccount } from '../../billing/payouts/sync-account.ts'
import { ensureTraderPrice } from '../../billing/prices/trader-price.ts'
import type { BillingDeps } from '../../billing/provider/billing-deps.ts'
import { syncSubscription } from '../../billing/subscriptions/sync-subscription.ts'
import { attachCard, createSubscription } from '../../stripe/create-subscription.ts'
import type { SeedTerms } from './world.ts'

type Trader = { userId: string; username: string }
type Followed = Trader & { since: Date }

/** The sandbox's Stripe, as far as a demo world needs it. */
export type SeedPayments = {
  /** Makes a trader one who can receive subscribers; nothing happens when they can. */
  completePayouts(trader: Trader, now: Date): Promise<void>
  /** Gives a trader who can receive subscribers an offer of their own, as they would type it. */
  offer(trader: { userId: string }, terms: SeedTerms, now: Date): Promise<void>
  /** Makes a person one who can subscribe; nothing happens when they can. */
  setUpBilling(userId: string, now: Date): Promise<void>
  /** Has a person, who follows nobody yet, pay for following these traders from now on, each since an instant. */
  subscribe(userId: string, traders: Followed[], now: Date): Promise<void>
}

/** The card that Stripe's test mode has ready by this name (docs.stripe.com/testing). */
const TEST_CARD = 'pm_card_visa'
/** Times the configured price. */
const DEARER = 1.25
const TRIAL_DAYS: TrialDays = 7
const CONTROL_TIMEOUT_MS = 10_000

/**
 * Demo people are real ones to the sandbox: their accounts are opened as the product opens them, and the control desk
 * decides in place of Stripe's review. Their subscriptions are what a checkout would have made, without its page. The same
 * sync that writes everybody's subscriptions writes these: webhooks find nothing to change.
 * @param deps.sandboxUrl where the control desk answers
 */
export function makeSeedPayments(deps: BillingDeps & { sandboxUrl: string }): SeedPayments {
  return {
    async completePayouts(trader, now) {
      if (isReady(await findPayoutAccount(deps.db, trader.userId))) return
      const { stripeAccountId } = await openPayoutAccount(deps, trader, now)
      await approve(deps.sandboxUrl, stripeAccountId)
      await syncAccount(deps, stripeAccountId, now)
    },
    async offer({ userId }, terms, now) {
      const { subscriptionCurrency: currency, subscriptionPriceCents: cents } = deps.settings
      const caller = { userId, sessionId: '', email: '' }
      if (terms === 'code') {
        const code = { code: 'WELCOME', off: '20 %', months: 3, maxUses: 50, lastDay: null } as const
        await addCode(deps, caller, { ...code, currency }, now)
        return
      }
      const monthly = formatMoney(terms === 'dearer' ? Math.round(cents * DEARER) : cents, currency)
      const own = terms === 'dearer' ? { yearly: '' } : { yearly: null, trialDays: TRIAL_DAYS }
      await setOwnPrices(deps, caller, { monthly, currency, ...own }, now)
    },
    async setUpBilling(userId, now) {
      await setUpCustomer(deps, { userId }, now)
    },
    async subscribe(userId, traders, now) {
      const customer = await setUpCustomer(deps, { userId }, now)
      const card = await attachCard(deps, customer, TEST_CARD)
      for (const trader of traders) {
        const id = await payFor(deps, trader, { userId, customer, card }, now)
        // As at that time: access began then, and is counted in that month.
        await syncSubscription(deps, id, {}, trader.since)
      }
    },
  }
}

/** @returns the subscription's id at Stripe */
async function payFor(
  deps: BillingDeps,
  trader: Followed,
  payer: { userId: string; customer: string; card: string },
  now: Date,
): Promise<string> {
  const { db, settings } = deps
  const account = await findPayoutAccount(db, trader.userId)
  if (!account?.stripeAccountId) throw new Error(`${trader.username} has no payout account`)
  const price = await ensureTraderPrice(deps, trader, 'month', now)
  if (!price) throw new Error(`${trader.username} has no price`)
  const pair = { traderId: trader.userId, subscriberId: payer.userId }
  const bought = {
    customer: payer.customer,
    card: payer.card,
    price: price.stripePriceId,
    destination: account.stripeAccountId,
    feePercent: settings.platformFeePercent.toFixed(2),
    since: trader.since,
  }
  return createSubscription(deps, pair, bought, now)
}

async function approve(sandboxUrl: string, id: string): Promise<void> {
  const answer = await fetch(`${sandboxUrl}/control/api/restore`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id }),
    signal: AbortSignal.timeout(CONTROL_TIMEOUT_MS),
  })
  if (!answer.ok) throw new Error(`The sandbox did not approve ${id}: ${await answer.text()}`)
}
