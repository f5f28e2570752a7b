import qs from 'qs'
import { control } from './cases.ts'
import type { TestWorld } from './world.ts'

/** Ids of what a purchase needs, as `setScene` makes it. */
export type Scene = { account: string; customer: string; product: string; price: string }

/** A call without the SDK, for what a test needs before it begins. */
export async function api<T = { id: string }>(
  world: TestWorld,
  method: string,
  path: string,
  params: object = {},
): Promise<T> {
  const v2 = path.startsWith('/v2')
  const body = method === 'GET' ? null : v2 ? JSON.stringify(params) : qs.stringify(params)
  const answer = await fetch(`${world.url}${path}${method === 'GET' ? `?${qs.stringify(params)}` : ''}`, {
    method,
    body,
    headers: {
      authorization: 'Bearer sk_test_scene',
      'content-type': v2 ? 'application/json' : 'application/x-www-form-urlencoded',
    },
  })
  const found = (await answer.json()) as T & { error?: { message: string } }
  if (found.error !== undefined) throw new Error(`${method} ${path}: ${found.error.message}`)
  return found
}

/** A trader who may receive money, a price of ten dollars a month, and a customer. */
export async function setScene(world: TestWorld, name = 'ann'): Promise<Scene> {
  const account = await newAccount(world, name)
  await control(world, 'restore', { id: account })
  const { id: product } = await api(world, 'POST', '/v1/products', { name: `Signals by @${name}` })
  const { id: price } = await api(world, 'POST', '/v1/prices', {
    product,
    currency: 'usd',
    unit_amount: 1000,
    recurring: { interval: 'month' },
  })
  const { id: customer } = await api(world, 'POST', '/v1/customers', { email: `${name}-buyer@example.com` })
  return { account, product, price, customer }
}

export async function newAccount(world: TestWorld, name: string): Promise<string> {
  const { id } = await api(world, 'POST', '/v2/core/accounts', {
    contact_email: `${name}@example.com`,
    display_name: `@${name}`,
    dashboard: 'express',
    identity: { country: 'us' },
    configuration: {
      recipient: { capabilities: { stripe_balance: { stripe_transfers: { requested: true } } } },
    },
    defaults: { responsibilities: { fees_collector: 'application', losses_collector: 'application' } },
  })
  return id
}

export type SubscriptionFacts = {
  id: string
  status: string
  latest_invoice: string
  cancel_at: number | null
  canceled_at: number | null
  cancel_at_period_end: boolean
  items: { data: { current_period_start: number; current_period_end: number }[] }
}

/** A subscription through the API, with ten percent for the platform. */
export function subscribe(
  world: TestWorld,
  scene: Scene,
  card = 'pm_card_visa',
  more: object = {},
): Promise<SubscriptionFacts> {
  return api<SubscriptionFacts>(world, 'POST', '/v1/subscriptions', {
    customer: scene.customer,
    items: [{ price: scene.price }],
    default_payment_method: card,
    application_fee_percent: 10,
    transfer_data: { destination: scene.account },
    off_session: false,
    ...more,
  })
}

/** A checkout session and the address of its page. */
export function checkout(
  world: TestWorld,
  scene: Scene,
  more: object = {},
): Promise<{ id: string; url: string }> {
  return api<{ id: string; url: string }>(world, 'POST', '/v1/checkout/sessions', {
    mode: 'subscription',
    customer: scene.customer,
    client_reference_id: 'intent-1',
    line_items: [{ price: scene.price, quantity: 1 }],
    allowed_payment_method_types: ['card'],
    subscription_data: {
      application_fee_percent: 10,
      transfer_data: { destination: scene.account },
      metadata: { intent: '1' },
      billing_mode: { type: 'flexible' },
    },
    metadata: { intent: '1' },
    success_url: 'http://localhost:9/payment/success?session_id={CHECKOUT_SESSION_ID}',
    cancel_url: 'http://localhost:9/back',
    ...more,
  })
}

/** Cents that came to an account: what it holds and what was paid out. @param account null for the platform */
export async function balance(world: TestWorld, account: string | null = null): Promise<number> {
  const headers = {
    authorization: 'Bearer sk_test_scene',
    ...(account !== null && { 'stripe-account': account }),
  }
  const read = async <T>(path: string) => (await (await fetch(world.url + path, { headers })).json()) as T
  type Amounts = { amount: number }[]
  const { available, pending } = await read<{ available: Amounts; pending: Amounts }>('/v1/balance')
  const { data } = await read<{ data: Amounts }>('/v1/payouts?limit=100')
  return [...available, ...pending, ...data].reduce((total, { amount }) => total + amount, 0)
}

/** The card that a buyer types into the payment page: Stripe's test card that can always be charged. */
export const CARD = { number: '4242 4242 4242 4242', expiry: '12 / 34', cvc: '123' }
