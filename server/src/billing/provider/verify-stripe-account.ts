import { retrieveOwnAccount } from '../../stripe/accounts.ts'
import { isLiveMode, type StripeDeps } from '../../stripe/stripe-client.ts'
import type { BillingDeps } from './billing-deps.ts'
import { findPlatform, type StripePlatform } from './platform.queries.ts'

type Account = Pick<StripePlatform, 'accountId' | 'livemode'>

/** The key opens another Stripe account, or another mode of it, than the rows of this database are about. */
export class ForeignStripeAccount extends Error {
  constructor(known: Account, opened: Account) {
    super(
      `This database holds payments of the Stripe account ${describe(known)}, and the key opens ${describe(opened)}. ` +
        'Use the key of that account, or another database.',
    )
  }
}

const describe = ({ accountId, livemode }: Account) => `${accountId} (${livemode ? 'live' : 'test'} mode)`

/** The account that the key opens. @throws what Stripe throws */
export async function readOpenedAccount(deps: StripeDeps): Promise<Account> {
  const { id } = await retrieveOwnAccount(deps)
  return { accountId: id, livemode: isLiveMode(deps.settings) }
}

/**
 * Makes sure that the ids in this database mean something to the key.
 * @returns what is known; null before the set-up
 * @throws ForeignStripeAccount, and what Stripe throws
 */
export async function checkOpenedAccount(
  deps: Pick<BillingDeps, 'db' | 'settings' | 'stripe'>,
): Promise<StripePlatform | null> {
  const known = await findPlatform(deps.db)
  if (!known) return null
  // By the key alone, so that it is checked even while Stripe cannot be reached.
  if (known.livemode !== isLiveMode(deps.settings))
    throw new ForeignStripeAccount(known, { accountId: 'an account', livemode: !known.livemode })
  const opened = await readOpenedAccount(deps)
  if (opened.accountId !== known.accountId) throw new ForeignStripeAccount(known, opened)
  return known
}
