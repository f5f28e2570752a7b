import { LIVE, type Subscription } from '../model/billing.ts'
import { invalid } from '../refusals/errors.ts'
import { anything, optional, text } from '../shape/shape.ts'
import { CREATED, type List, list, PAGING, page } from '../wire/lists.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import { CREATE, createSubscription } from './create-subscription.ts'
import { CANCEL, cancelSubscription, UPDATE, updateSubscription } from './update-subscription.ts'

const LIST = {
  ...PAGING,
  ...CREATED,
  customer: optional(text),
  status: optional(text),
  price: optional(text),
  test_clock: optional(text),
}

const ITEMS = { ...PAGING, subscription: text }
const RESUME = { billing_cycle_anchor: optional(anything), proration_behavior: optional(anything) }

export const subscriptionRoutes: Route[] = [
  route('POST /v1/subscriptions', CREATE, createSubscription),
  route('GET /v1/subscriptions', LIST, listAll),
  route('GET /v1/subscriptions/:id', {}, ({ tx, id }) => tx.need('subscription', id)),
  route('POST /v1/subscriptions/:id', UPDATE, updateSubscription),
  route('DELETE /v1/subscriptions/:id', CANCEL, cancelSubscription),
  route('POST /v1/subscriptions/:id/resume', RESUME, refuseToResume),
  route('GET /v1/subscription_items', ITEMS, ({ tx, params, path }) =>
    list(tx.need('subscription', params.subscription, 'subscription').items.data, path),
  ),
]

function refuseToResume({ tx, id }: CallWith<typeof RESUME>): never {
  const { status } = tx.need('subscription', id)
  throw invalid(`This subscription cannot be resumed because its status is \`${status}\`, not \`paused\`.`)
}

function listAll(call: CallWith<typeof LIST>): List<Subscription> {
  const { customer, status, price, test_clock } = call.params
  if (price !== undefined)
    throw invalid('The payments sandbox does not list subscriptions by price.', 'price')
  return page(call, 'subscription', {
    equal: { customer, test_clock },
    // A request that names neither a customer nor a clock does not list the subscriptions of clocks.
    empty: customer === undefined && test_clock === undefined ? ['test_clock'] : [],
    among: { status: statusesOf(status) },
  })
}

/** The statuses that one word of a request asks for; without it Stripe shows all that are not canceled. */
function statusesOf(word: string | undefined): string[] {
  if (word === undefined) return [...LIVE, 'incomplete_expired']
  if (word === 'all') return [...LIVE, 'canceled', 'incomplete_expired']
  if (word === 'ended') return ['canceled', 'incomplete_expired']
  return [word]
}
