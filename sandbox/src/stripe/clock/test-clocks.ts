import { addMonths, periodEnd } from '../billing/periods.ts'
import { itemOf, LIVE, type Subscription } from '../billing/types.ts'
import { deleteCustomer } from '../customers/customers.ts'
import type { Customer } from '../customers/types.ts'
import { invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { checkStandsStill, type TestClock } from './time-on.ts'

const TYPE = 'test_helpers.test_clock'
const DAYS_KEPT = 30
/** docs.stripe.com/api/test_clocks/advance: so far at once, counted in periods of the shortest subscription. */
const PERIODS_AT_ONCE = 2
const MONTHS_AT_ONCE = 24

export const testClockRoutes: Route[] = [
  {
    endpoint: 'POST /v1/test_helpers/test_clocks',
    reads: ['frozen_time', 'name', 'customer'],
    answer: create,
  },
  { endpoint: 'GET /v1/test_helpers/test_clocks', reads: [...PAGING], answer: (call) => page(call, TYPE) },
  { endpoint: 'GET /v1/test_helpers/test_clocks/:id', reads: [], answer: ({ tx, id }) => tx.need(TYPE, id) },
  { endpoint: 'DELETE /v1/test_helpers/test_clocks/:id', reads: [], answer: remove },
  { endpoint: 'POST /v1/test_helpers/test_clocks/:id/advance', reads: ['frozen_time'], answer: advance },
]

function create({ tx, params }: Call): TestClock {
  const frozen = readTime(params.frozen_time)
  const clock = tx.make<TestClock>(TYPE, {
    deletes_after: tx.now + DAYS_KEPT * 86_400,
    frozen_time: frozen,
    name: params.name ?? null,
    status: 'ready',
    status_details: {},
  })
  tx.add(clock)
  if (typeof params.customer === 'string') adopt(tx, clock, params.customer)
  tx.emit(`${TYPE}.created`, clock)
  return clock
}

/** A customer who has nothing that lives by the account's time yet can still be put on a clock, for good. */
function adopt(tx: Tx, clock: TestClock, id: string): void {
  const customer = tx.need<Customer>('customer', id, 'customer')
  if (typeof customer.test_clock === 'string')
    throw invalid(`The customer ${id} is already on the test clock ${customer.test_clock}.`, 'customer')
  if (tx.objects.count('subscription', { equal: { customer: id } }) > 0)
    throw invalid('The payments sandbox puts only customers without subscriptions on a clock.', 'customer')
  const before = tx.change(customer, { test_clock: clock.id })
  tx.emit('customer.updated', customer, before)
}

/** The clock goes on its way; `arrive` ends it, once all that falls due before has happened. */
function advance({ tx, params, id }: Call): TestClock {
  const clock = tx.need<TestClock>(TYPE, id)
  checkStandsStill(tx, id)
  const target = readTime(params.frozen_time)
  if (target <= clock.frozen_time)
    throw invalid('A test clock can only be advanced to a time after its frozen_time.', 'frozen_time')
  const furthest = furthestFor(tx, clock)
  if (target > furthest)
    throw invalid(
      `A test clock can be advanced by two intervals of its shortest subscription at a time, or by two years without one: here to ${furthest}.`,
      'frozen_time',
    )
  tx.change(clock, { status: 'advancing', status_details: { advancing: { target_frozen_time: target } } })
  tx.schedule('clock-arrives', id, target, id)
  tx.emit(`${TYPE}.advancing`, clock)
  return clock
}

/** Everything up to here has happened. */
export function arrive(tx: Tx, id: string): void {
  const clock = tx.need<TestClock>(TYPE, id)
  tx.change(clock, { status: 'ready', status_details: {} })
  tx.emit(`${TYPE}.ready`, clock)
}

function furthestFor(tx: Tx, { id, frozen_time }: TestClock): number {
  const limits = onClock<Subscription>(tx, 'subscription', id)
    .filter(({ status }) => LIVE.includes(status))
    .map((one) => itemOf(one).price.recurring)
    .filter((recurring) => recurring !== null)
    .map((recurring) => periodEnd(frozen_time, recurring, PERIODS_AT_ONCE))
  return limits.length === 0 ? addMonths(frozen_time, MONTHS_AT_ONCE) : Math.min(...limits)
}

/** With the clock go its customers, and their subscriptions end. */
function remove({ tx, id }: Call): TestClock {
  const clock = tx.need<TestClock>(TYPE, id)
  checkStandsStill(tx, id)
  for (const customer of onClock<Customer>(tx, 'customer', id)) deleteCustomer(tx, customer)
  tx.db.run('DELETE FROM due WHERE clock = ?', id)
  const deleted = { id, object: TYPE, deleted: true }
  tx.objects.save(deleted)
  tx.emit(`${TYPE}.deleted`, clock)
  return deleted as unknown as TestClock
}

function onClock<T>(tx: Tx, type: string, id: string): T[] {
  return tx.objects.list(type, { equal: { test_clock: id } }, { limit: 100 }) as T[]
}

function readTime(given: unknown): number {
  const at = Number(given)
  if (!Number.isSafeInteger(at) || at < 1)
    throw invalid('Invalid timestamp: must be a time in seconds since 1970.', 'frozen_time')
  return at
}
