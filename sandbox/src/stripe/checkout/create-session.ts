import { checkBillingMode, checkPercent, recurringPrice } from '../billing/start.ts'
import type { Product } from '../catalog/products.ts'
import { checkDestination } from '../connect/destination.ts'
import type { Customer } from '../customers/types.ts'
import { randomText } from '../store/ids.ts'
import type { Stored } from '../store/objects.ts'
import { invalid } from '../wire/errors.ts'
import { mergeMetadata } from '../wire/metadata.ts'
import type { Call } from '../wire/route.ts'
import type { Tx } from '../world.ts'
import type { Session, SessionPlan } from './types.ts'

const SHORTEST = 30 * 60
const LONGEST = 24 * 3600

/** Opens a checkout session: what it will sell is settled now, and made when somebody pays. */
export function createSession({ tx, params }: Call): Session {
  if (params.mode !== 'subscription')
    throw invalid('The payments sandbox knows the mode `subscription` only.', 'mode')
  if (params.ui_mode !== undefined && params.ui_mode !== 'hosted_page')
    throw invalid('The payments sandbox knows the ui_mode `hosted_page` only.', 'ui_mode')
  if ((params.automatic_tax as { enabled: boolean } | undefined)?.enabled === true)
    throw invalid('The payments sandbox computes no tax.', 'automatic_tax[enabled]')
  const allowed = params.allowed_payment_method_types as string[] | undefined
  if (allowed !== undefined && !allowed.includes('card'))
    throw invalid('The payments sandbox takes cards only.', 'allowed_payment_method_types')
  if (typeof params.success_url !== 'string')
    throw invalid('Missing required param: success_url.', 'success_url', 'parameter_missing')
  for (const name of ['success_url', 'cancel_url']) {
    if (params[name] !== undefined) checkUrl(String(params[name]), name)
  }
  const { plan, price } = readPlan(tx, params)
  const amount = price.unit_amount * plan.quantity
  const session = tx.make<Session>('checkout.session', {
    ...fromParams(params),
    ...buyer(tx, params),
    amount_subtotal: amount,
    amount_total: amount,
    currency: price.currency,
    expires_at: readExpiry(tx, params.expires_at),
    mode: 'subscription',
    ui_mode: 'hosted_page',
    payment_method_collection: 'always',
    payment_method_types: ['card'],
    payment_method_options: { card: { request_three_d_secure: 'automatic' } },
    payment_status: 'unpaid',
    saved_payment_method_options: {
      allow_redisplay_filters: ['always'],
      payment_method_remove: 'disabled',
      payment_method_save: null,
    },
    status: 'open',
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
  })
  session.url = `${tx.pages}/c/pay/${session.id}#${randomText(24)}`
  tx.add(session, { plan })
  addLine(tx, session, plan, price)
  tx.schedule('expire-session', session.id, session.expires_at)
  return session
}

function fromParams(params: Record<string, unknown>): Record<string, unknown> {
  return {
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

function buyer(tx: Tx, params: Record<string, unknown>): Record<string, unknown> {
  if (params.customer !== undefined && params.customer_email !== undefined)
    throw invalid('You may only specify one of these parameters: customer, customer_email.', 'customer')
  if (typeof params.customer !== 'string')
    return { customer_email: params.customer_email ?? null, customer_creation: null }
  const customer = tx.need<Customer>('customer', params.customer, 'customer')
  return {
    customer: customer.id,
    customer_email: null,
    customer_details: tx.part('checkout.session', 'customer_details', {
      email: customer.email,
      name: customer.name ?? null,
      tax_exempt: 'none',
    }),
  }
}

type LineParam = { price?: string; quantity?: number }

function readPlan(tx: Tx, params: Record<string, unknown>) {
  const lines = (params.line_items ?? []) as LineParam[]
  const [line] = lines
  if (line?.price === undefined || lines.length !== 1)
    throw invalid(
      'Give exactly one line item with a price: this sandbox sells one price at a time.',
      'line_items',
    )
  const price = recurringPrice(tx, line.price, 'line_items[0][price]')
  const data = (params.subscription_data ?? {}) as Record<string, unknown>
  checkBillingMode(data.billing_mode, 'subscription_data[billing_mode][type]')
  const target = data.transfer_data as { destination: string; amount_percent?: number } | undefined
  if (target !== undefined)
    checkDestination(tx, target.destination, 'subscription_data[transfer_data][destination]')
  const feePercent = checkPercent(data.application_fee_percent, 'subscription_data[application_fee_percent]')
  if (feePercent !== null && target === undefined)
    throw invalid(
      'You can only apply an application_fee_percent when transfer_data[destination] is set or the request is made on behalf of a connected account.',
      'subscription_data[application_fee_percent]',
    )
  const share = checkPercent(target?.amount_percent, 'subscription_data[transfer_data][amount_percent]')
  if (feePercent !== null && share !== null)
    throw invalid(
      'You may only specify one of these parameters: application_fee_percent, transfer_data[amount_percent].',
      'subscription_data[transfer_data][amount_percent]',
    )
  const plan: SessionPlan = {
    price: price.id,
    quantity: line.quantity ?? 1,
    metadata: mergeMetadata(null, data.metadata, 'subscription_data[metadata]'),
    description: (data.description as string | undefined) ?? null,
    feePercent,
    transferData: target === undefined ? null : { destination: target.destination, amount_percent: share },
  }
  return { plan, price }
}

function readExpiry(tx: Tx, given: unknown): number {
  const at = given === undefined ? tx.now + LONGEST : Number(given)
  if (at < tx.now + SHORTEST || at > tx.now + LONGEST)
    throw invalid(
      'The `expires_at` timestamp must be at least 30 minutes and less than 24 hours from Checkout Session creation.',
      'expires_at',
    )
  return at
}

function checkUrl(url: string, name: string): void {
  if (!/^https?:\/\/[^\s]+$/.test(url)) throw invalid('Not a valid URL', name, 'url_invalid')
}

function addLine(tx: Tx, session: Session, plan: SessionPlan, price: Stored & { product: string }): void {
  const product = tx.need<Product>('product', price.product)
  const item = tx.make<Stored>('item', {
    amount_subtotal: session.amount_total,
    amount_total: session.amount_total,
    currency: session.currency,
    description: product.name,
    price,
    quantity: plan.quantity,
    metadata: {},
  })
  tx.add(item, { parent: session.id })
}
