import { checkCurrency } from '../billing/one-currency.ts'
import type { Price } from '../model/catalog.ts'
import type { Session, SessionPlan } from '../model/checkout.ts'
import { checkUrl, invalid } from '../refusals/errors.ts'
import { optional, text } from '../shape/shape.ts'
import { randomText } from '../store/ids.ts'
import { factsOf } from '../tax/compute.ts'
import { CREATED, PAGING, page } from '../wire/lists.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'
import { checkMinimum } from './minimum.ts'
import { amountsOf, CREATE, type Params, readPlan } from './session-plan.ts'
import { automaticTaxOf, collectionOf, savesOf, showTax } from './session-tax.ts'
import { consentOf } from './terms-consent.ts'

const SHORTEST = 30 * 60

const LONGEST = 24 * 3600

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

/** Opens a checkout session: what it will sell is settled now, and made when somebody pays. */
function createSession({ tx, params }: CallWith<typeof CREATE>): Session {
  checkTerms(params)
  const { plan, price } = readPlan(tx, params)
  const { subtotal, discount } = amountsOf(tx, plan, price)
  const total = subtotal - discount
  checkMinimum(total, price.currency)
  const session = tx.make('checkout.session', {
    ...fromParams(params),
    ...consentOf(tx, params),
    ...buyer(tx, params, price.currency),
    ...collectionOf(params),
    amount_subtotal: subtotal,
    amount_total: total,
    currency: price.currency,
    discounts: shownDiscounts(plan),
    expires_at: readExpiry(tx, params.expires_at),
    mode: 'subscription',
    ui_mode: 'hosted_page',
    payment_method_collection: 'always',
    payment_method_types: ['card'],
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_status: total === 0 ? 'no_payment_required' : 'unpaid',
    saved_payment_method_options: {
      allow_redisplay_filters: ['always'],
      payment_method_remove: 'disabled',
      payment_method_save: null,
    },
    status: 'open',
    total_details: { amount_discount: discount, amount_shipping: 0, amount_tax: 0 },
    automatic_tax: automaticTaxOf(plan),
  })
  session.url = `${tx.pages}/c/pay/${session.id}#${randomText(24)}`
  tx.add(session, { notes: { plan, saves: savesOf(params) } })
  addLine(tx, session, plan, price, subtotal)
  if (session.customer !== null) showTax(tx, session, factsOf(tx, session.customer))
  tx.schedule('expire-session', session.id, session.expires_at)
  return session
}

/** @throws ApiError when a session is asked for that the sandbox cannot open */
function checkTerms(params: Params): void {
  if (params.mode !== 'subscription')
    throw invalid('The payments sandbox knows the mode `subscription` only.', 'mode')
  if (params.ui_mode !== undefined && params.ui_mode !== 'hosted_page')
    throw invalid('The payments sandbox knows the ui_mode `hosted_page` only.', 'ui_mode')
  // Stripe refuses the two together even where no codes are allowed.
  if (params.allow_promotion_codes !== undefined && params.discounts !== undefined)
    throw invalid(
      'You may only specify one of these parameters: allow_promotion_codes, discounts.',
      'allow_promotion_codes',
    )
  if (params.allow_promotion_codes === true)
    throw invalid(
      'The page of the payments sandbox asks for no code: name the promotion code in `discounts`.',
      'allow_promotion_codes',
    )
  if (params.payment_method_collection !== undefined && params.payment_method_collection !== 'always')
    throw invalid(
      'The payments sandbox knows the payment_method_collection `always` only.',
      'payment_method_collection',
    )
  const allowed = params.allowed_payment_method_types
  if (allowed !== undefined && !allowed.includes('card'))
    throw invalid('The payments sandbox takes cards only.', 'allowed_payment_method_types')
  if (params.success_url === undefined)
    throw invalid('Missing required param: success_url.', 'success_url', 'parameter_missing')
  checkUrl(params.success_url, 'success_url')
  if (params.cancel_url !== undefined) checkUrl(params.cancel_url, 'cancel_url')
}

function fromParams(params: Params): Record<string, unknown> {
  return {
    allow_promotion_codes: params.allow_promotion_codes ?? null,
    allowed_payment_method_types: params.allowed_payment_method_types ?? null,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    integration_identifier: params.integration_identifier ?? null,
    locale: params.locale ?? null,
    metadata: mergeMetadata(null, params.metadata),
    submit_type: params.submit_type ?? null,
    success_url: params.success_url,
  }
}

function buyer(tx: Tx, params: Params, currency: string): Record<string, unknown> {
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalid('You may only specify one of these parameters: customer, customer_email.', 'customer')
  if (params.customer === undefined)
    return { customer_email: params.customer_email ?? null, customer_creation: null }
  const customer = tx.need('customer', params.customer, 'customer')
  const { address, numbers, exempt } = factsOf(tx, customer.id)
  checkCurrency(tx, customer.id, currency)
  return {
    customer: customer.id,
    customer_email: null,
    customer_details: tx.part('checkout.session', 'customer_details', {
      email: customer.email,
      name: customer.name ?? null,
      address,
      tax_exempt: exempt,
      tax_ids: numbers,
    }),
  }
}

function readExpiry(tx: Tx, at = tx.now + LONGEST): number {
  if (at < tx.now + SHORTEST || at > tx.now + LONGEST)
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
      'expires_at',
    )
  return at
}

/** A session shows either the code that it was opened with, or the coupon. */
function shownDiscounts({ discount = null }: SessionPlan): Session['discounts'] {
  if (discount === null) return []
  const { coupon, promotionCode } = discount
  return [{ coupon: promotionCode === null ? coupon : null, promotion_code: promotionCode }]
}

function addLine(tx: Tx, session: Session, plan: SessionPlan, price: Price, subtotal: number): void {
  const product = tx.need('product', price.product)
  const item = tx.make('item', {
    amount_discount: subtotal - session.amount_total,
    amount_subtotal: subtotal,
    amount_total: session.amount_total,
    currency: session.currency,
    description: product.name,
    price,
    quantity: plan.quantity,
    metadata: {},
  })
  tx.add(item, { parent: session.id })
}
