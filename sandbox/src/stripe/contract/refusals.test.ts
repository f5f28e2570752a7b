import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, passMonth, suite } from './cases.ts'
import { balance, CARD, checkout, newAccount, type Scene, setScene, subscribe } from './scene.ts'
import type { TestWorld } from './world.ts'

const { here } = suite((key, target) => new Stripe(key, target), { test, beforeAll, afterAll })

const CANNOT_RECEIVE = { statusCode: 400, code: 'insufficient_capabilities_for_transfer', param: undefined }
const GONE = { statusCode: 400, code: 'resource_missing' }
const INACCESSIBLE = { type: 'StripePermissionError', statusCode: 403, code: 'account_invalid' }

/** The account is turned down at the end of its onboarding. */
async function reject(stripe: Stripe, account: string): Promise<void> {
  const account_onboarding = { refresh_url: 'http://localhost:9/r', return_url: 'http://localhost:9/b' }
  const use_case = { type: 'account_onboarding' as const, account_onboarding }
  const { url } = await stripe.v2.core.accountLinks.create({ account, use_case })
  await press(await open(url), 'Reject the application')
}

const close = (_: Stripe, world: TestWorld, account: string) => control(world, 'close', { id: account })

const WAYS: [string, (stripe: Stripe, world: TestWorld, account: string) => Promise<unknown>, object][] = [
  ['closed', close, GONE],
  ['rejected', (stripe, _, account) => reject(stripe, account), CANNOT_RECEIVE],
  ['restricted', (_, world, id) => control(world, 'restrict', { id }), CANNOT_RECEIVE],
]

/** Everything that sends money to an account, and the parameter that names it there. */
function payments(stripe: Stripe, { account, customer, price }: Scene, running: string) {
  const transfer_data = { destination: account }
  const subscription = 'transfer_data[destination]'
  return [
    [
      () =>
        stripe.subscriptions.create({
          customer,
          items: [{ price }],
          default_payment_method: 'pm_card_visa',
          transfer_data,
        }),
      subscription,
    ],
    [() => stripe.subscriptions.update(running, { transfer_data }), subscription],
    [
      () =>
        stripe.checkout.sessions.create({
          mode: 'subscription',
          customer,
          line_items: [{ price, quantity: 1 }],
          subscription_data: { transfer_data },
          success_url: 'http://localhost:9/done',
        }),
      'subscription_data[transfer_data][destination]',
    ],
    [() => stripe.transfers.create({ amount: 10, currency: 'usd', destination: account }), 'destination'],
  ] as const
}

for (const [name, fall, refusal] of WAYS)
  here(`no payment is begun that would go to a ${name} account`, async (stripe, world) => {
    const scene = await setScene(world, name)
    const { id } = await subscribe(world, scene)
    const page = await checkout(world, scene)
    await fall(stripe, world, scene.account)
    for (const [attempt, param] of payments(stripe, scene, id))
      await expect(attempt()).rejects.toMatchObject({ param, ...refusal })
    expect(words(await press(await open(page.url), 'Subscribe', CARD))).toContain('cannot receive payments')
    expect((await stripe.charges.list({ customer: scene.customer })).data).toHaveLength(1)
  })

for (const [name, fall] of WAYS)
  here(
    `a renewal whose money would go to a ${name} account fails without a charge`,
    async (stripe, world) => {
      const scene = await setScene(world, `renews-${name}`)
      const { id } = await subscribe(world, scene)
      await fall(stripe, world, scene.account)
      await passMonth(world)
      const found = await stripe.subscriptions.retrieve(id, { expand: ['latest_invoice'] })
      expect(found).toMatchObject({
        status: 'past_due',
        latest_invoice: { status: 'open', attempt_count: 1 },
      })
      const invoice = (found.latest_invoice as Stripe.Invoice).id ?? ''
      await expect(stripe.invoices.pay(invoice)).rejects.toMatchObject(CANNOT_RECEIVE)
      expect((await stripe.charges.list({ customer: scene.customer })).data).toHaveLength(1)
      expect(await balance(world, scene.account)).toBe(900)
    },
  )

here('of an account that is closed or was never there no link is made', async (stripe, world) => {
  const account = await newAccount(world, 'shut')
  await control(world, 'restore', { id: account })
  expect((await stripe.accounts.createLoginLink(account)).object).toBe('login_link')
  await control(world, 'close', { id: account })
  await expect(stripe.accounts.createLoginLink(account)).rejects.toMatchObject(INACCESSIBLE)
  await expect(stripe.accounts.createLoginLink('acct_never')).rejects.toMatchObject(INACCESSIBLE)
  await expect(stripe.balance.retrieve({}, { stripeAccount: 'acct_never' })).rejects.toMatchObject(
    INACCESSIBLE,
  )
  const account_onboarding = { refresh_url: 'http://localhost:9/r' }
  const use_case = { type: 'account_onboarding' as const, account_onboarding }
  await expect(stripe.v2.core.accountLinks.create({ account, use_case })).rejects.toMatchObject({
    statusCode: 400,
    code: 'account_closed',
  })
})

here(
  'a rejected account has no way into a dashboard, and no link leads on with it',
  async (stripe, world) => {
    const account = await newAccount(world, 'turned-down')
    expect(await control(world, 'reject', { id: account })).toBe('The account is rejected.')
    const account_onboarding = { refresh_url: 'http://localhost:9/r' }
    const use_case = { type: 'account_onboarding' as const, account_onboarding }
    await expect(stripe.v2.core.accountLinks.create({ account, use_case })).rejects.toMatchObject({
      statusCode: 400,
      message: 'An account link cannot be created for this account because the account has been rejected.',
    })
    await expect(stripe.accounts.createLoginLink(account)).rejects.toMatchObject({ statusCode: 400 })
  },
)

here(
  'a disputed payment is not refunded, and a reversal takes no more than is left',
  async (stripe, world) => {
    const scene = await setScene(world, 'bounds')
    await subscribe(world, scene)
    const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
    const transfer = String(charge?.transfer)
    await control(world, 'dispute', { id: charge?.id })
    for (const way of [{ charge: charge?.id ?? '' }, { payment_intent: String(charge?.payment_intent) }])
      await expect(stripe.refunds.create({ ...way, reverse_transfer: true })).rejects.toMatchObject({
        statusCode: 400,
        code: 'charge_disputed',
      })
    const reverse = (amount?: number) =>
      stripe.transfers.createReversal(transfer, amount === undefined ? {} : { amount })
    await reverse(400)
    await expect(reverse(601)).rejects.toMatchObject({ statusCode: 400, param: 'amount' })
    await expect(reverse(0)).rejects.toMatchObject({ code: 'parameter_invalid_integer', param: 'amount' })
    await reverse()
    await expect(reverse()).rejects.toMatchObject({
      statusCode: 400,
      message: `The transfer ${transfer} is already fully reversed.`,
    })
    expect((await stripe.transfers.retrieve(transfer)).amount_reversed).toBe(1000)
    // The fee stayed with the platform, so the trader is short of it.
    expect(await balance(world, scene.account)).toBe(-100)
  },
)

here('a customer pays in one currency as long as anything of theirs is open in it', async (stripe, world) => {
  const scene = await setScene(world, 'two-coins')
  const recurring = { interval: 'month' as const }
  const { id: euros } = await stripe.prices.create({
    product: scene.product,
    currency: 'eur',
    unit_amount: 900,
    recurring,
  })
  const inEuros = { ...scene, price: euros }
  const refused = (error: unknown) =>
    expect(error).toMatchObject({
      type: 'StripeInvalidRequestError',
      statusCode: 400,
      code: undefined,
      param: undefined,
      message:
        'You cannot combine currencies on a single customer. This customer has an active subscription, subscription schedule, discount, quote, invoice item or active subscription mode checkout session with currency usd.',
    })
  const inCheckout = () =>
    stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: scene.customer,
      line_items: [{ price: euros, quantity: 1 }],
      success_url: 'http://localhost:9/paid',
    })

  const { id: session } = await checkout(world, scene)
  refused(await inCheckout().catch((error: unknown) => error))
  await stripe.checkout.sessions.expire(session)
  const { id: subscription } = await subscribe(world, scene)
  refused(await inCheckout().catch((error: unknown) => error))
  const { customer } = scene
  const bought = { customer, items: [{ price: euros }], default_payment_method: 'pm_card_visa' }
  refused(await stripe.subscriptions.create(bought).catch((error: unknown) => error))
  expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(1)
  await stripe.subscriptions.cancel(subscription)
  expect(await subscribe(world, inEuros)).toMatchObject({ status: 'active', currency: 'eur' })
})
