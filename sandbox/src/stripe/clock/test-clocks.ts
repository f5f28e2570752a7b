import { deleteCustomer } from '../customers/customers.ts'
import { itemOf, LIVE } from '../model/billing.ts'
import type { TestClock } from '../model/clock.ts'
import type { Kinds } from '../model/kinds.ts'
import type { Deleted } from '../model/stored.ts'
import { invalid } from '../refusals/errors.ts'
import { number, optional, text } from '../shape/shape.ts'
import { addMonths, periodEnd } from '../time/periods.ts'
import { checkStandsStill } from '../time/time-on.ts'
import { PAGING, page } from '../wire/lists.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

const TYPE = 'test_helpers.test_clock'
const DAYS_KEPT = 30
/** docs.stripe.com/api/test_clocks/advance: so far at once, counted in periods of the shortest subscription. */
const PERIODS_AT_ONCE = 2
const MONTHS_AT_ONCE = 24

const CREATE = { frozen_time: number, name: optional(text), customer: optional(text) }
const ADVANCE = { frozen_time: number }

export const testClockRoutes: Route[] = [
  route('POST /v1/test_helpers/test_clocks', CREATE, create),
  route('GET /v1/test_helpers/test_clocks', PAGING, (call) => page(call, TYPE)),
  route('GET /v1/test_helpers/test_clocks/:id', {}, ({ tx, id }) => tx.need(TYPE, id)),
  route('DELETE /v1/test_helpers/test_clocks/:id', {}, remove),
  route('POST /v1/test_helpers/test_clocks/:id/advance', ADVANCE, advance),
]

function create({ tx, params }: CallWith<typeof CREATE>): TestClock {
  const frozen = checkTime(params.frozen_time)
  const clock = tx.make(TYPE, {
    deletes_after: tx.now + DAYS_KEPT * 86_400,
    frozen_time: frozen,
    name: params.name ?? null,
    status: 'ready',
    status_details: {},
  })
  tx.add(clock)
  if (params.customer !== undefined) adopt(tx, clock, params.customer)
  tx.emit(`${TYPE}.created`, clock)
  return clock
}

/** A customer who has nothing that lives by the account's time yet can still be put on a clock, for good. */
function adopt(tx: Tx, clock: TestClock, id: string): void {
  const customer = tx.need('customer', id, 'customer')
  if (typeof customer.test_clock === 'string')
    throw invalid(`The customer ${id} is already on the test clock ${customer.test_clock}.`, 'customer')
  if (tx.objects.count('subscription', { equal: { customer: id } }) > 0)
    throw invalid('The payments sandbox puts only customers without subscriptions on a clock.', 'customer')
  const before = tx.change(customer, { test_clock: clock.id })
  tx.emit('customer.updated', customer, before)
}

/** The clock goes on its way; `arrive` ends it, once all that falls due before has happened. */
function advance({ tx, params, id }: CallWith<typeof ADVANCE>): TestClock {
  const clock = tx.need(TYPE, id)
  checkStandsStill(tx, id)
  const target = checkTime(params.frozen_time)
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
  const clock = tx.need(TYPE, id)
  tx.change(clock, { status: 'ready', status_details: {} })
  tx.emit(`${TYPE}.ready`, clock)
}

function furthestFor(tx: Tx, { id, frozen_time }: TestClock): number {
  const limits = onClock(tx, 'subscription', id)
    .filter(({ status }) => LIVE.includes(status))
    .map((one) => itemOf(one).price.recurring)
    .filter((recurring) => recurring !== null)
    .map((recurring) => periodEnd(frozen_time, recurring, PERIODS_AT_ONCE))
  return limits.length === 0 ? addMonths(frozen_time, MONTHS_AT_ONCE) : Math.min(...limits)
}

/** With the clock go its customers, and their subscriptions end. */
function remove({ tx, id }: Call): Deleted<typeof TYPE> {
  const clock = tx.need(TYPE, id)
  checkStandsStill(tx, id)
  for (const customer of onClock(tx, 'customer', id)) deleteCustomer(tx, customer)
  tx.db.run('DELETE FROM due WHERE clock = ?', id)
  const remains = tx.objects.bury(TYPE, id)
  tx.emit(`${TYPE}.deleted`, clock)
  return remains
}

function onClock<K extends 'customer' | 'subscription'>(tx: Tx, kind: K, id: string): Kinds[K][] {
  return tx.objects.list(kind, { equal: { test_clock: id } }, { limit: 100 })
}

function checkTime(at: number): number {
  if (!Number.isSafeInteger(at) || at < 1)
    throw invalid('Invalid timestamp: must be a time in seconds since 1970.', 'frozen_time')
  return at
}
