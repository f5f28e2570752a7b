import { endpoints } from '@tradepost/contract/endpoints'
import type { Clock } from '../platform/clock.ts'
import type { EndpointRegistry } from '../platform/http/register-endpoints.ts'
import { findCustomer } from './customers.queries.ts'
import { openDashboard } from './open-dashboard.ts'
import type { PaymentsDeps } from './payments-deps.ts'
import { openPortal } from './portal.ts'
import { readPayoutStatus } from './read-payout-status.ts'
import { makePayoutsReader } from './read-payouts.ts'
import { setUpCustomer } from './set-up-customer.ts'
import { startOnboarding } from './start-onboarding.ts'

export function paymentsRoutes(api: EndpointRegistry, deps: PaymentsDeps & { clock: Clock }): void {
  const readPayouts = makePayoutsReader(deps)
  api.serve(endpoints.customer, async ({ caller }) => ({
    configured: (await findCustomer(deps.db, caller.userId))?.state === 'ready',
  }))
  api.serve(endpoints.setUpCustomer, async ({ caller, now }) => {
    await setUpCustomer(deps, caller, now)
    return { configured: true }
  })
  api.serve(endpoints.customerSession, async ({ caller, now }) => ({
    url: await openPortal(deps, caller, now),
  }))
  api.serve(endpoints.startOnboarding, async ({ caller, now }) => ({
    url: await startOnboarding(deps, caller, now),
  }))
  api.serve(endpoints.payoutDashboard, async ({ caller, now }) => ({
    url: await openDashboard(deps, caller, now),
  }))
  api.serve(endpoints.payoutStatus, ({ caller, now }) => readPayoutStatus(deps, caller, now))
  api.serve(endpoints.payouts, ({ caller }) => readPayouts(caller))
}
