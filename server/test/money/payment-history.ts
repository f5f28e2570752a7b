import type Stripe from 'stripe'
import { expect } from 'vitest'
import { makeRandom } from '../../src/dev/seed/random.ts'
import { call, type Trader } from '../factories.ts'
import {
  type BillingScenario,
  checkout,
  giveClock,
  makeCustomer,
  makePaidTrader,
  pay,
  subscribeAtStripe,
} from './billing-scenario.ts'
import { makeReporter, readNewEvents } from './event-reporter.ts'

type PaidTrader = Trader & { account: string }
type Customer = Awaited<ReturnType<typeof makeCustomer>>

/** Two traders who are followed in the same way: of one it is reported in order, of the other with disturbances. */
type Twins = { scenario: BillingScenario; traders: [PaidTrader, PaidTrader] }

/** @param scenario without webhooks: the histories alone send what happens at Stripe */
async function makeTwins(scenario: BillingScenario): Promise<Twins> {
  return { scenario, traders: [await makePaidTrader(scenario), await makePaidTrader(scenario)] }
}

/** One person's years with one trader, as they are stored at the end; nothing in it depends on when an event arrived. */
type Outcome = {
  /** Each with its invoices; in their own order, since two can have begun in one instant. */
  subscriptions: object[]
  checkouts: string[]
  mails: string[]
  problems: number
  canceled: number
}

/** Plays these seeds. @throws an assertion that contains the seed, what happened, and how the outcomes differ */
export async function playHistories(scenario: BillingScenario, from: number, to: number): Promise<void> {
  const twins = await makeTwins(scenario)
  for (let seed = from; seed <= to; seed += 1) {
    const { inOrder, steps, disturbed } = await playHistory(twins, seed)
    const shown = { seed, steps, problems: 'as many or fewer', canceled: 'as many or fewer' }
    expect({ ...disturbed, ...shown }).toEqual({ ...inOrder, ...shown })
    // A failed try that was made good before its event arrived is mailed to nobody.
    expect(disturbed.problems).toBeLessThanOrEqual(inOrder.problems)
    // Nor a planned end that is heard of once the subscription is over.
    expect(disturbed.canceled).toBeLessThanOrEqual(inOrder.canceled)
  }
}

/**
 * Lets the same things happen to two pairs, drawn by a seed: payments, failures, refunds, ends, doubles, a dispute, payouts
 * lost and regained. Of the first pair each event is sent once and at once. Of the second each is sent one to five times, shuffled, some
 * much later and some never, with the jobs run at any moment.
 * @returns what happened, and both outcomes, which must be the same
 */
async function playHistory(
  twins: Twins,
  seed: number,
): Promise<{ steps: string[]; inOrder: Outcome; disturbed: Outcome }> {
  const random = makeRandom(seed)
  // Far enough for the list of events to begin again with this history.
  twins.scenario.testApp.clock.advance(HISTORY_APART_MS)
  const lives = [await beginLife(twins, 0), await beginLife(twins, 1)] as const
  const [orderly, messy] = lives
  const reporter = makeReporter(twins.scenario, random)
  const steps: string[] = []
  const length = random.between(2, 4)
  const take = async (step: StepName) => {
    steps.push(step)
    await STEPS[step](orderly)
    await listen(twins.scenario, lives, orderly)
    await reporter.reportAll(orderly.unreported.splice(0))
    await STEPS[step](messy)
    await listen(twins.scenario, lives, messy)
    await reporter.reportSome(messy.unreported.splice(0), { acts: step === 'double' || step === 'dispute' })
  }
  for (let at = 0; at < length && steps.at(-1) !== 'dispute'; at += 1) {
    // A few begin on the page; the others as if they had, which is faster.
    await take(at > 0 ? random.pick(await possible(orderly)) : random.next() < 0.3 ? 'buy' : 'buy again')
  }
  // The next history begins with traders who can be paid.
  if (orderly.payoutsLost) await take('payouts come back')
  await listen(twins.scenario, lives, messy)
  await reporter.reportAll(orderly.unreported.splice(0))
  await reporter.finish()
  return { steps, inOrder: await outcomeOf(orderly), disturbed: await outcomeOf(messy) }
}

const HISTORY_APART_MS = 30 * 60_000

type Life = {
  scenario: BillingScenario
  trader: PaidTrader
  person: Customer
  pass(days: number): Promise<void>
  payoutsLost: boolean
  /** Events of this pair that were not sent yet. */
  unreported: Stripe.Event[]
}

async function beginLife({ scenario, traders }: Twins, which: 0 | 1): Promise<Life> {
  const person = await makeCustomer(scenario)
  return {
    scenario,
    trader: traders[which],
    person,
    pass: await giveClock(scenario, person.customer),
    payoutsLost: false,
    unreported: [],
  }
}

type StepName = keyof typeof STEPS

const STEPS = {
  buy: async ({ person, scenario, trader }: Life) =>
    void (await pay(await checkout(scenario, person, trader))),
  'buy again': async ({ person, scenario, trader }: Life) =>
    void (await subscribeAtStripe(scenario, person, trader)),
  double: async ({ pass, person, scenario, trader }: Life) => {
    await pass(1)
    await subscribeAtStripe(scenario, person, trader)
  },
  'a month passes': ({ pass }: Life) => pass(31),
  'a week passes': ({ pass }: Life) => pass(7),
  'a renewal fails': async (life: Life) => {
    const { id } = await newest(life)
    await life.scenario.sandbox.control('fail-next', { id })
    await life.pass(31)
  },
  'every try fails': async (life: Life) => {
    const { stripe } = life.scenario
    const card = await stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: life.person.customer,
    })
    await stripe.subscriptions.update((await newest(life)).id, { default_payment_method: card.id })
    await life.pass(31)
    await life.pass(20)
  },
  'an end is planned': async (life: Life) => {
    await life.scenario.stripe.subscriptions.update((await newest(life)).id, { cancel_at_period_end: true })
  },
  'the end is taken back': async (life: Life) => {
    await life.scenario.stripe.subscriptions.update((await newest(life)).id, { cancel_at_period_end: false })
  },
  'it is ended': async (life: Life) =>
    void (await life.scenario.stripe.subscriptions.cancel((await newest(life)).id)),
  'a part is refunded': (life: Life) => refund(life, 123),
  'a payment is refunded': (life: Life) => refund(life, null),
  dispute: async (life: Life) => {
    const [charge] = (await life.scenario.stripe.charges.list({ customer: life.person.customer })).data
    await life.scenario.sandbox.control('dispute', { id: charge?.id })
  },
  'payouts are lost': (life: Life) => turnPayouts(life, 'restrict'),
  'payouts come back': (life: Life) => turnPayouts(life, 'restore'),
}

const LIVING: StepName[] = [
  'a month passes',
  'a week passes',
  'a renewal fails',
  'every try fails',
  'an end is planned',
  'the end is taken back',
  'it is ended',
  'a part is refunded',
  'double',
  'payouts are lost',
]

/** Nobody is charged then, and nobody new begins. */
const WITHOUT_PAYOUTS: StepName[] = [
  'a month passes',
  'a week passes',
  'an end is planned',
  'it is ended',
  'payouts come back',
]

/** The steps that can happen next, by the state at Stripe. */
async function possible(life: Life): Promise<StepName[]> {
  const { status } = await newest(life)
  if (life.payoutsLost) return status === 'canceled' ? ['payouts come back'] : WITHOUT_PAYOUTS
  if (status === 'canceled') return ['buy again', 'a week passes']
  const [charge] = (await life.scenario.stripe.charges.list({ customer: life.person.customer, limit: 1 }))
    .data
  const paid = charge?.paid && charge.amount_refunded === 0 && status === 'active'
  return paid ? [...LIVING, 'a payment is refunded', 'dispute'] : LIVING
}

/** The newest that lives, else the newest. */
async function newest({ person, scenario }: Life): Promise<Stripe.Subscription> {
  const { data } = await scenario.stripe.subscriptions.list({ customer: person.customer, status: 'all' })
  const found = data.find(({ status }) => status !== 'canceled') ?? data[0]
  if (!found) throw new Error('nothing was bought')
  return found
}

async function refund({ person, scenario }: Life, amount: number | null): Promise<void> {
  const { data } = await scenario.stripe.charges.list({ customer: person.customer })
  const charge = data.find((one) => one.paid && one.amount - one.amount_refunded >= (amount ?? one.amount))
  if (!charge) return
  await scenario.stripe.refunds.create({
    charge: charge.id,
    ...(amount !== null && { amount }),
    reverse_transfer: true,
    refund_application_fee: true,
  })
}

/** Reported at once, and acted upon: what is disturbed is what follows for the subscriptions. */
async function turnPayouts(life: Life, action: 'restrict' | 'restore'): Promise<void> {
  const { scenario, trader } = life
  await scenario.sandbox.control(action, { id: trader.account })
  life.payoutsLost = action === 'restrict'
  const { body } = await call(scenario.testApp, trader, 'GET', '/v1/accounts/stripe/status')
  expect(body).toMatchObject({ onboardComplete: !life.payoutsLost })
  await scenario.work()
}

/** Reads Stripe's events since the last look, and keeps each with the life it is about. */
async function listen(scenario: BillingScenario, lives: readonly Life[], actor: Life): Promise<void> {
  for (const event of await readNewEvents(scenario)) {
    const { customer } = event.data.object as { customer?: unknown }
    // Disputes name a charge, and nobody's customer.
    const whose = event.type.startsWith('charge.dispute.')
      ? actor
      : lives.find((life) => life.person.customer === customer)
    whose?.unreported.push(event)
  }
}

async function outcomeOf({ person, scenario, trader }: Life): Promise<Outcome> {
  const { db } = scenario.testApp
  const subscriptions = await db
    .selectFrom('subscriptions')
    .select([
      'stripe_subscription_id',
      'id',
      'status',
      'price_cents',
      'currency',
      'fee_percent',
      'current_period_end',
      'cancel_at',
      'started_at',
      'ended_at',
      'past_due_since',
      'paused_since',
      'end_reason',
    ])
    .where('subscriber_id', '=', person.userId)
    .execute()
  const ids = subscriptions.map(({ id }) => id)
  const invoices =
    ids.length === 0
      ? []
      : await db
          .selectFrom('invoices')
          .select([
            'subscription_id',
            'status',
            'amount_due_cents',
            'amount_paid_cents',
            'refunded_cents',
            'transferred_cents',
            'reversed_cents',
            'fee_cents',
            'fee_refunded_cents',
            'period_start',
            'period_end',
            'dispute_status',
          ])
          .where('trader_id', '=', trader.userId)
          .where('subscription_id', 'in', ids)
          .execute()
  const checkouts = await db
    .selectFrom('checkout_sessions')
    .select('state')
    .where('subscriber_id', '=', person.userId)
    .execute()
  const mails = await db.selectFrom('outbox').select('kind').where('user_id', '=', person.userId).execute()
  return {
    subscriptions: inOneOrder(
      subscriptions.map(({ id, stripe_subscription_id: _stripe, ...facts }) => ({
        ...facts,
        invoices: inOneOrder(
          invoices
            .filter((invoice) => invoice.subscription_id === id)
            .map(({ subscription_id: _of, ...invoice }) => invoice),
        ),
      })),
    ),
    checkouts: checkouts.map(({ state }) => state),
    mails: mails
      .map(({ kind }) => kind)
      // A pause, or a whole subscription, that is over when its event arrives is mailed to nobody.
      .filter((kind) => !['payment_problem', 'subscription_canceled', 'subscription_started'].includes(kind))
      .filter((kind) => !kind.startsWith('collection_'))
      .toSorted(),
    problems: mails.filter(({ kind }) => kind === 'payment_problem').length,
    canceled: mails.filter(({ kind }) => kind === 'subscription_canceled').length,
  }
}

/** The same things in the same order, whatever their ids are and in whichever order they were read. */
function inOneOrder<Thing extends object>(things: Thing[]): Thing[] {
  return things.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1))
}
