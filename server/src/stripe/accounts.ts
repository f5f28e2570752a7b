import type { ComingPayout, Holding, TraderPayouts } from '@tradepost/contract/desk'
import type Stripe from 'stripe'
import { sdkOf } from './sdk.ts'
import { isOurs, type StripeDeps, stripeMark } from './stripe-client.ts'
import { isMissing } from './stripe-errors.ts'

/** The account that the key opens. @throws what Stripe throws */
export async function retrieveOwnAccount(deps: StripeDeps): Promise<{ id: string; country: string | null }> {
  const { country, id } = await sdkOf(deps).accounts.retrieveCurrent()
  return { id, country: country ?? null }
}

type NewAccount = { userId: string; email: string; name: string; country: string; generation: number }

/**
 * Opens an account to which a trader's part is paid. Sends the same at every try of a generation, as the idempotency key demands.
 * @returns its id
 * @throws what Stripe throws
 */
export async function createAccount(deps: StripeDeps, wanted: NewAccount): Promise<string> {
  const mark = stripeMark(deps.settings)
  const account: Stripe.V2.Core.AccountCreateParams = {
    contact_email: wanted.email,
    display_name: wanted.name,
    dashboard: 'express',
    identity: { country: wanted.country },
    configuration: {
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    defaults: { responsibilities: { fees_collector: 'application', losses_collector: 'application' } },
    metadata: { ...mark, user_id: wanted.userId },
  }
  const idempotencyKey = `acct:${mark.env}:${wanted.userId}:${wanted.generation}`
  return (await sdkOf(deps).v2.core.accounts.create(account, { idempotencyKey })).id
}

/** An account's state by its own words, as far as they matter. */
export type AccountReading = {
  status: string
  code: string | null
  resolution: string | null
  closed: boolean
}

/** For a caller that waits: a shorter time-out (ms), and how often the client repeats. */
export type Patience = { timeout: number; maxNetworkRetries: number }

/** @throws what Stripe throws */
export async function readAccount(
  deps: StripeDeps,
  id: string,
  patience: Patience | undefined,
): Promise<AccountReading> {
  try {
    const account = await sdkOf(deps).v2.core.accounts.retrieve(
      id,
      { include: ['configuration.recipient', 'requirements'] },
      patience,
    )
    const transfers = account.configuration?.recipient?.capabilities?.stripe_balance?.stripe_transfers
    const [detail] = transfers?.status_details ?? []
    return {
      status: transfers?.status ?? 'unsupported',
      code: detail?.code ?? null,
      resolution: detail?.resolution ?? null,
      closed: account.closed === true,
    }
  } catch (error) {
    // Gone altogether, as accounts of test mode can be: nothing will ever be paid to it again.
    if (isMissing(error)) return { status: 'unsupported', code: null, resolution: null, closed: true }
    throw error
  }
}

/** Of this deployment, with the person whose they are. */
export async function* eachAccount(
  deps: StripeDeps,
): AsyncGenerator<{ id: string; userId: string; openedAt: Date }> {
  for await (const { created, id, metadata } of sdkOf(deps).v2.core.accounts.list({ limit: 100 })) {
    const { user_id: userId } = metadata ?? {}
    if (userId && isOurs(deps.settings, metadata)) yield { id, userId, openedAt: new Date(created) }
  }
}

/**
 * A link into Stripe's own pages on which an account is set up; it works once and for minutes only
 * (docs.stripe.com/connect/hosted-onboarding).
 * @param pages where the browser comes back to: when the link is too old, and in the end
 */
export async function createOnboardingLink(
  deps: StripeDeps,
  account: string,
  pages: { refresh: string; return: string },
): Promise<string> {
  const link = await sdkOf(deps).v2.core.accountLinks.create({
    account,
    use_case: {
      type: 'account_onboarding',
      account_onboarding: {
        refresh_url: pages.refresh,
        return_url: pages.return,
        collection_options: { fields: 'currently_due' },
      },
    },
  })
  return link.url
}

/** A way into the trader's own dashboard at Stripe. @throws what Stripe throws */
export async function createDashboardLink(deps: StripeDeps, account: string): Promise<string> {
  return (await sdkOf(deps).accounts.createLoginLink(account)).url
}

/** Payouts are listed newest first, and one arrives within days: those on their way are among the last twenty. */
const LOOKED_AT = 20
const ON_THEIR_WAY = ['pending', 'in_transit']

export type Held = Pick<TraderPayouts, 'balance' | 'coming'>

/**
 * The money at a trader's account, and the payouts on their way to the bank, the next to arrive first. Both are asked for at once, each with
 * the time-out and the one retry of the client: a person waits, and the rest of their desk is there already.
 * @throws what Stripe throws
 */
export async function readHeld(deps: StripeDeps, stripeAccount: string): Promise<Held> {
  const stripe = sdkOf(deps)
  const whose = { stripeAccount }
  const [balance, payouts] = await Promise.all([
    stripe.balance.retrieve({}, whose),
    stripe.payouts.list({ limit: LOOKED_AT }, whose),
  ])
  const coming = payouts.data.filter(({ status }) => ON_THEIR_WAY.includes(status)).map(presentPayout)
  return {
    balance: presentBalance(balance),
    coming: coming.toSorted((one, other) => (one.arrivesOn < other.arrivesOn ? -1 : 1)),
  }
}

function presentBalance({ available, pending }: Stripe.Balance): Holding[] {
  const currencies = new Set([...available, ...pending].map(({ currency }) => currency))
  const sumOf = (amounts: { amount: number; currency: string }[], of: string) =>
    amounts.filter(({ currency }) => currency === of).reduce((sum, { amount }) => sum + amount, 0)
  return [...currencies].toSorted().map((currency) => ({
    currency,
    availableCents: sumOf(available, currency),
    pendingCents: sumOf(pending, currency),
  }))
}

/** Stripe dates an arrival by the midnight, in UTC, that begins its day (docs.stripe.com/api/payouts/object). */
function presentPayout({ id, amount, currency, arrival_date }: Stripe.Payout): ComingPayout {
  const arrivesOn = new Date(arrival_date * 1000).toISOString().slice(0, 10)
  return { id, amountCents: amount, currency, arrivesOn }
}
