import { invalid } from '../wire/errors.ts'
import { list, page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import { createSubscription } from './create-subscription.ts'
import { LIVE, type Subscription } from './types.ts'
import { cancelSubscription, updateSubscription } from './update-subscription.ts'

export const subscriptionRoutes: Route[] = [
  {
    endpoint: 'POST /v1/subscriptions',
    reads: [
      'customer',
      'items.price',
      'items.quantity',
      'default_payment_method',
      'application_fee_percent',
      'transfer_data',
      'metadata',
      'description',
      'payment_behavior',
      'billing_mode.type',
      'off_session',
    ],
    answer: createSubscription,
  },
  {
    endpoint: 'GET /v1/subscriptions',
    reads: [...PAGING, 'customer', 'status', 'price', 'created', 'test_clock'],
    answer: listAll,
  },
  { endpoint: 'GET /v1/subscriptions/:id', reads: [], answer: ({ tx, id }) => tx.need('subscription', id) },
  {
    endpoint: 'POST /v1/subscriptions/:id',
    reads: [
      'metadata',
      'cancel_at_period_end',
      'cancel_at',
      'pause_collection.behavior',
      'default_payment_method',
      'application_fee_percent',
      'transfer_data',
      'description',
      'cancellation_details',
      'proration_behavior',
    ],
    answer: updateSubscription,
  },
  {
    endpoint: 'DELETE /v1/subscriptions/:id',
    reads: ['cancellation_details', 'invoice_now', 'prorate'],
    answer: cancelSubscription,
  },
  {
    endpoint: 'POST /v1/subscriptions/:id/resume',
    reads: ['billing_cycle_anchor', 'proration_behavior'],
    answer({ tx, id }) {
      const { status } = tx.need<Subscription>('subscription', id)
      throw invalid(
        `This subscription cannot be resumed because its status is \`${status}\`, not \`paused\`.`,
      )
    },
  },
  {
    endpoint: 'GET /v1/subscription_items',
    reads: [...PAGING, 'subscription'],
    answer: ({ tx, params, path }) =>
      list(
        tx.need<Subscription>('subscription', String(params.subscription), 'subscription').items.data,
        path,
      ),
  },
]

function listAll(call: Call): unknown {
  const { customer, status, price, test_clock } = call.params
  const all = [...LIVE, 'canceled', 'incomplete_expired']
  const ended = ['canceled', 'incomplete_expired']
  // Without a status Stripe shows all that are not canceled.
  const among =
    status === 'all'
      ? all
      : status === 'ended'
        ? ended
        : status === undefined
          ? all.filter((one) => one !== 'canceled')
          : [String(status)]
  if (price !== undefined)
    throw invalid('The payments sandbox does not list subscriptions by price.', 'price')
  return page(call, 'subscription', {
    equal: {
      ...(typeof customer === 'string' && { customer }),
      ...(typeof test_clock === 'string' && { test_clock }),
    },
    // Who names neither a customer nor a clock sees nothing of what lives on one.
    empty: customer === undefined && test_clock === undefined ? ['test_clock'] : [],
    among: { status: among },
  })
}
