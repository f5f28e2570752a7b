import { invalid } from '../wire/errors.ts'
import { page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import { createSession } from './create-session.ts'
import type { Session } from './types.ts'

export const checkoutRoutes: Route[] = [
  {
    endpoint: 'POST /v1/checkout/sessions',
    reads: [
      'mode',
      'ui_mode',
      'customer',
      'customer_email',
      'customer_update',
      'client_reference_id',
      'line_items.price',
      'line_items.quantity',
      'allowed_payment_method_types',
      'subscription_data.application_fee_percent',
      'subscription_data.billing_mode.type',
      'subscription_data.description',
      'subscription_data.metadata',
      'subscription_data.transfer_data',
      'metadata',
      'success_url',
      'cancel_url',
      'expires_at',
      'integration_identifier',
      'locale',
      'submit_type',
      'automatic_tax.enabled',
    ],
    answer: createSession,
  },
  {
    endpoint: 'GET /v1/checkout/sessions',
    reads: [...PAGING, 'customer', 'subscription', 'status', 'payment_intent', 'created'],
    answer: listAll,
  },
  {
    endpoint: 'GET /v1/checkout/sessions/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('checkout.session', id),
  },
  { endpoint: 'POST /v1/checkout/sessions/:id/expire', reads: [], answer: expire },
  {
    endpoint: 'GET /v1/checkout/sessions/:id/line_items',
    reads: [...PAGING],
    answer: (call) => page(call, 'item', { parent: call.tx.need('checkout.session', call.id).id }),
  },
]

function expire({ tx, id }: Call): Session {
  const session = tx.need<Session>('checkout.session', id)
  if (session.status !== 'open')
    throw invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    )
  expireSession(tx, session)
  return session
}

export function expireSession(tx: Tx, session: Session): void {
  tx.change(session, { status: 'expired', url: null })
  tx.schedule('expire-session', session.id, null)
  tx.emit('checkout.session.expired', session)
}

function listAll(call: Call): unknown {
  const given = ['customer', 'subscription', 'status', 'payment_intent'].filter(
    (name) => typeof call.params[name] === 'string',
  )
  return page(call, 'checkout.session', {
    equal: Object.fromEntries(given.map((name) => [name, String(call.params[name])])),
  })
}
