import type { TraderPayouts } from '@tradepost/contract/desk'
import { ttlCache } from '../../platform/cache/ttl-cache.ts'
import type { Clock } from '../../platform/clock.ts'
import { type Held, readHeld } from '../../stripe/accounts.ts'
import { describeStripeError, isRefused, isStripeError } from '../../stripe/stripe-errors.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady } from '../payouts/payout-status.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'

/** A reload calls Stripe no second time. */
const KEPT_MS = 60_000
const NOTHING: Held = { balance: [], coming: [] }

/**
 * The money that Stripe has for somebody as a trader, and the money on its way to their bank. Read at their account, at most once a minute
 * by this process. A trader who cannot be paid any more still sees what lies there.
 * @returns a reader of a person's own; it never fails because of Stripe: `unreadable` where there was no answer
 */
export function makePayoutsReader(
  deps: BillingDeps & { clock: Clock },
): (person: { userId: string }) => Promise<TraderPayouts> {
  const readRecent = ttlCache(deps.clock, KEPT_MS, (stripeAccount) => readHeld(deps, stripeAccount))
  return async ({ userId }) => {
    const account = await findPayoutAccount(deps.db, userId)
    if (account === null) return { state: 'none', ...NOTHING }
    const { stripeAccountId, completeAt } = account
    if (stripeAccountId === null || completeAt === null) return { state: 'incomplete', ...NOTHING }
    const state = isReady(account) ? 'ready' : 'incomplete'
    try {
      return { state, ...(await readRecent(stripeAccountId)) }
    } catch (error) {
      if (!isStripeError(error)) throw error
      deps.log.warn(describeStripeError(error), 'the payouts of a trader cannot be read')
      // Stripe answers nothing about a closed account, whenever it is called.
      return { state: isReady(account) || !isRefused(error) ? 'unreadable' : state, ...NOTHING }
    }
  }
}
