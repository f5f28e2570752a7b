import type { ComingPayout, Holding, TraderPayouts } from '@tradepost/contract/desk'
import Stripe from 'stripe'
import type { Clock } from '../platform/clock.ts'
import { keepAnswers } from '../platform/recent-answers.ts'
import { describeStripeError, isRefused } from '../stripe/stripe-client.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { findPayoutAccount } from './payout-accounts.queries.ts'
import { isReady } from './payout-status.ts'

/** A reload asks Stripe no second time. */
const KEPT_MS = 60_000
/** Payouts are listed newest first, and one arrives within days: those on their way are among the last twenty. */
const LOOKED_AT = 20
const ON_THEIR_WAY = ['pending', 'in_transit']

type AtStripe = Pick<TraderPayouts, 'balance' | 'coming'>
const NOTHING: AtStripe = { balance: [], coming: [] }

/**
 * What Stripe holds for somebody as a trader, and what it is sending to their bank. Read at their account, at most once a minute
 * by this process. Who cannot be paid any more still sees what lies there.
 * @returns a reader of a person's own; it never fails because of Stripe: `unreadable` says that there was no answer
 */
export function makePayoutsReader(
  deps: PaymentsDeps & { clock: Clock },
): (person: { userId: string }) => Promise<TraderPayouts> {
  const askStripe = keepAnswers(deps.clock, KEPT_MS, (stripeAccount) => readAtStripe(deps, stripeAccount))
  return async ({ userId }) => {
    const account = await findPayoutAccount(deps.db, userId)
    if (account === null) return { state: 'none', ...NOTHING }
    const { stripeAccountId, completeAt } = account
    if (stripeAccountId === null || completeAt === null) return { state: 'incomplete', ...NOTHING }
    const state = isReady(account) ? 'ready' : 'incomplete'
    try {
      return { state, ...(await askStripe(stripeAccountId)) }
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeError)) throw error
      deps.log.warn(describeStripeError(error), 'the payouts of a trader cannot be read')
      // Of an account that is closed Stripe says nothing, whenever it is asked.
      return { state: isReady(account) || !isRefused(error) ? 'unreadable' : state, ...NOTHING }
    }
  }
}

/**
 * Both at once, each with the time-out and the one retry of the client: a person waits, and the rest of their desk is there already.
 * @throws what Stripe throws
 */
async function readAtStripe({ stripe }: PaymentsDeps, stripeAccount: string): Promise<AtStripe> {
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
