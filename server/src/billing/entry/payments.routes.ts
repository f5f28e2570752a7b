import { endpoints } from '@tradepost/contract/endpoints'
import type { Clock } from '../../platform/clock.ts'
import type { EndpointRegistry } from '../../platform/http/register-endpoints.ts'
import { findCustomer } from '../customers/customers.queries.ts'
import { openPortal } from '../customers/open-portal.ts'
import { setUpCustomer } from '../customers/set-up-customer.ts'
import { makePayoutsReader } from '../desk/read-payouts.ts'
import { readDiscount } from '../discounts/find-discount.ts'
import { addCode, endOwnCode, readOwnCodes } from '../discounts/own-codes.ts'
import { readOwnPrices, setOwnPrices } from '../offers/own-prices.ts'
import { openDashboard } from '../payouts/open-dashboard.ts'
import { readPayoutStatus } from '../payouts/read-payout-status.ts'
import { startOnboarding } from '../payouts/start-onboarding.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'

export function paymentsRoutes(api: EndpointRegistry, deps: BillingDeps & { clock: Clock }): void {
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
  api.serve(endpoints.discountCodes, ({ caller, now }) => readOwnCodes(deps, caller, now))
  api.serve(endpoints.addDiscountCode, ({ body, caller, now }) => addCode(deps, caller, body, now))
  api.serve(endpoints.endDiscountCode, ({ caller, now, params }) => endOwnCode(deps, caller, params.id, now))
  api.serve(endpoints.discount, ({ caller, now, params }) => readDiscount(deps, caller, params, now))
  api.serve(endpoints.prices, ({ caller }) => readOwnPrices(deps, caller))
  api.serve(endpoints.setPrices, ({ body, caller, now }) => setOwnPrices(deps, caller, body, now))
  api.serve(endpoints.payouts, ({ caller }) => readPayouts(caller))
}
