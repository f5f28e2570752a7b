import type { TestClock } from '../model/clock.ts'
import { ApiError, invalid } from '../refusals/errors.ts'
import type { Tx } from '../world/world.ts'

const MOST_CUSTOMERS = 3

/**
 * The second that it is for what Billing makes of a customer: invoices, periods, retries, ends. Payments are not
 * Billing's: charges, transfers and events are dated in the account's own time, as Stripe dates them.
 * @param clock the test clock that the customer is on; null for the account's own time
 */
export function timeOn(tx: Tx, clock: string | null): number {
  return clock === null ? tx.now : tx.need('test_helpers.test_clock', clock).frozen_time
}

/** @throws ApiError 429 while the clock advances: what lives by it can be read, and not changed */
export function checkStandsStill(tx: Tx, clock: string | null): void {
  if (clock === null || tx.need('test_helpers.test_clock', clock).status === 'ready') return
  throw new ApiError(429, {
    type: 'invalid_request_error',
    message: `Test clock advancement underway - cannot perform modifications: ${clock}`,
  })
}

/**
 * The clock on which a new customer is to live.
 * @throws ApiError when there is none, when it advances, or when it has its three customers
 */
export function clockForCustomer(tx: Tx, id: string): TestClock {
  const clock = tx.need('test_helpers.test_clock', id, 'test_clock')
  checkStandsStill(tx, id)
  if (tx.objects.count('customer', { equal: { test_clock: id } }) >= MOST_CUSTOMERS)
    throw invalid(`A test clock takes ${MOST_CUSTOMERS} customers at most.`, 'test_clock')
  return clock
}
