import type { Session } from '../model/checkout.ts'
import { invalid } from '../refusals/errors.ts'
import { optional, text } from '../shape/shape.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { type Call, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { createSession } from './create-session.ts'
import { CREATE } from './session-plan.ts'

const LIST = {
  ...PAGING,
  ...CREATED,
  customer: optional(text),
  subscription: optional(text),
  status: optional(text),
  payment_intent: optional(text),
}

export const checkoutRoutes: Route[] = [
  route('POST /v1/checkout/sessions', CREATE, createSession),
  route('GET /v1/checkout/sessions', LIST, (call) => {
    const { customer, subscription, status, payment_intent } = call.params
    return page(call, 'checkout.session', { equal: { customer, subscription, status, payment_intent } })
  }),
  route('GET /v1/checkout/sessions/:id', {}, ({ tx, id }) => tx.need('checkout.session', id)),
  route('POST /v1/checkout/sessions/:id/expire', {}, expire),
  route('GET /v1/checkout/sessions/:id/line_items', PAGING, (call) =>
    page(call, 'item', { parent: call.tx.need('checkout.session', call.id).id }),
  ),
]

function expire({ tx, id }: Call): Session {
  const session = tx.need('checkout.session', id)
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
