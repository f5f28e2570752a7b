import { openPayoutAccount } from '../payments/open-payout-account.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { isOnboardComplete } from '../payments/payout-status.ts'
import { setUpCustomer } from '../payments/set-up-customer.ts'
import { syncAccount } from '../payments/sync-account.ts'

/** The sandbox's Stripe, as far as a demo world needs it. */
export type SeedPayments = {
  /** Makes a trader one who can receive subscribers; nothing happens when they can. */
  completePayouts(trader: { userId: string; username: string }, now: Date): Promise<void>
  /** Makes a person one who can subscribe; nothing happens when they can. */
  setUpBilling(userId: string, now: Date): Promise<void>
}

const CONTROL_TIMEOUT_MS = 10_000

/**
 * Demo people are real ones to the sandbox: their accounts are opened as the product opens them, and the control desk
 * says what Stripe's review would.
 * @param deps.sandboxUrl where the control desk answers
 */
export function makeSeedPayments(deps: PaymentsDeps & { sandboxUrl: string }): SeedPayments {
  return {
    async completePayouts(trader, now) {
      if (await isOnboardComplete(deps.db, trader.userId)) return
      const { stripeAccountId } = await openPayoutAccount(deps, trader, now)
      await approve(deps.sandboxUrl, stripeAccountId)
      await syncAccount(deps, stripeAccountId, now)
    },
    async setUpBilling(userId, now) {
      await setUpCustomer(deps, { userId }, now)
    },
  }
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
