import { PAYOUT_STATUS_FRESH_MS } from '@tradepost/contract/limits'
import type { PayoutStatus } from '@tradepost/contract/payments'
import { overLimit } from '../../platform/rate-limit.ts'
import { describeStripeError, isStripeError } from '../../stripe/stripe-errors.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findPayoutAccount, type PayoutAccount } from './payout-accounts.queries.ts'
import { hasPayingSubscribers } from './payout-requests.queries.ts'
import { isReady, isRejected, lacksTaxSettings } from './payout-status.ts'
import { syncAccount } from './sync-account.ts'

const READINGS_PER_MINUTE_AND_PERSON = 10
/** One short try: there is a stored answer to fall back to. */
const PATIENCE = { timeout: 4000, maxNetworkRetries: 0 }

/**
 * Whether somebody's payouts are set up, or rejected for good, and then whether followers are left. Answered from what is
 * stored; read at Stripe first when that may be old: always while they are not complete, since who asks then has often just
 * come back from there, and after ten minutes when they are; so with tax settings, where traders owe the tax. Nothing that goes wrong at Stripe breaks the answer.
 */
export async function readPayoutStatus(
  deps: BillingDeps,
  person: { userId: string },
  now: Date,
): Promise<PayoutStatus> {
  const stored = await findPayoutAccount(deps.db, person.userId)
  if (stored === null) return { onboardComplete: false }
  if (stored.stripeAccountId === null || isFresh(deps, stored, now)) return present(deps, stored)
  const limit = {
    key: `payout-status:${person.userId}`,
    max: READINGS_PER_MINUTE_AND_PERSON,
    windowSeconds: 60,
  }
  if (deps.settings.limitsOn && (await overLimit(deps.db, limit, now)) !== null) return present(deps, stored)
  try {
    const read = await syncAccount(deps, stored.stripeAccountId, now, PATIENCE)
    return present(deps, read ?? stored)
  } catch (error) {
    if (!isStripeError(error)) throw error
    deps.log.warn(describeStripeError(error), 'payouts are answered as they were last seen')
    return present(deps, stored)
  }
}

async function present({ db, settings }: BillingDeps, account: PayoutAccount): Promise<PayoutStatus> {
  if (!isRejected(account)) {
    const taxMissing = isReady(account) && lacksTaxSettings(settings.taxLiable, account)
    return { onboardComplete: isReady(account), ...(taxMissing && { taxMissing }) }
  }
  return { onboardComplete: false, rejected: true, followed: await hasPayingSubscribers(db, account.userId) }
}

function isFresh({ settings }: BillingDeps, account: PayoutAccount, now: Date): boolean {
  if (account.closedAt) return true
  if (!isReady(account) || !account.syncedAt || lacksTaxSettings(settings.taxLiable, account)) return false
  return now.getTime() - account.syncedAt.getTime() < PAYOUT_STATUS_FRESH_MS
}
