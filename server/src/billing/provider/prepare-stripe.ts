import { setTimeout as pause } from 'node:timers/promises'
import { untilAnswered } from '../../platform/database/database.ts'
import { waitFor } from '../../platform/wait-for.ts'
import { findWebhookFaults } from '../../stripe/set-up-webhooks.ts'
import { describeStripeError, healsByItself, isStripeError } from '../../stripe/stripe-errors.ts'
import { hasTaxSettings } from '../../stripe/tax.ts'
import type { BillingDeps } from './billing-deps.ts'
import { findTermsRefused } from './platform.queries.ts'
import { setUpStripe } from './set-up-stripe.ts'
import { checkOpenedAccount, ForeignStripeAccount } from './verify-stripe-account.ts'

/** A start does not wait longer than this for Stripe: positions work without payments. */
const PATIENCE_MS = 5000
const RETRY_PAUSE_MS = 500

/**
 * Checks or sets up Stripe when a process starts. The sandbox's, which this process has just started, is set up: its
 * secrets are known already. Of a real one it is only checked that the key and the database belong together and that
 * webhooks are on their way to us. An outage of Stripe does not keep the product from starting; the sandbox, a process of
 * ours that lives, is waited for.
 * @param sandboxWebhooks the origin at which the sandbox reaches us; null with a real Stripe
 * @throws ForeignStripeAccount
 */
export async function prepareStripe(
  deps: BillingDeps,
  sandboxWebhooks: string | null,
  now: Date,
): Promise<void> {
  if (sandboxWebhooks !== null)
    return waitFor(
      deps.log,
      'the sandbox, where payments are set up: this machine may be busy',
      setUpSandbox(deps, sandboxWebhooks, now),
    )
  const { promise: tooLate, resolve } = Promise.withResolvers<'too late'>()
  const timer = setTimeout(() => resolve('too late'), PATIENCE_MS)
  try {
    if ((await Promise.race([check(deps), tooLate])) === 'too late')
      deps.log.warn('payments were not looked at: Stripe did not answer in time')
  } catch (error) {
    if (error instanceof ForeignStripeAccount) throw error
    deps.log.warn(
      describeStripeError(error),
      'payments were not looked at: Stripe did not do what it was asked',
    )
  } finally {
    clearTimeout(timer)
  }
}

/** Again and again while it, or the database, does not answer in time. @throws what else it refuses */
async function setUpSandbox(deps: BillingDeps, origin: string, now: Date): Promise<void> {
  for (;;) {
    try {
      await untilAnswered(deps.log, () => setUpStripe(deps, origin, now))
      return
    } catch (error) {
      if (!(isStripeError(error) && healsByItself(error))) throw error
      await pause(RETRY_PAUSE_MS)
    }
  }
}

async function check(deps: BillingDeps): Promise<void> {
  if (!(await checkOpenedAccount(deps))) {
    deps.log.warn('Stripe is not set up for this database: run `npm run stripe:setup`')
    return
  }
  if ((await findTermsRefused(deps.db)) !== null)
    deps.log.warn(
      { missing: 'terms of service URL', at: 'https://dashboard.stripe.com/settings/public' },
      'nobody can subscribe: Stripe asks for the address of the terms in its public details',
    )
  if (deps.settings.taxLiable === 'platform' && !(await hasTaxSettings(deps, null)))
    deps.log.warn(
      { reason: 'no head office', at: 'https://dashboard.stripe.com/settings/tax' },
      'nobody can subscribe: Stripe Tax is not set up',
    )
  for (const { path, fault } of await findWebhookFaults(deps))
    deps.log.warn({ path, fault }, 'a webhook is not as it should be: run `npm run stripe:setup`')
}
