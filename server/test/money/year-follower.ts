import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type Stripe from 'stripe'
import { expect } from 'vitest'
import { closeBy } from '../closing.ts'
import { call } from '../factories.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { type BillingScenario, makeCustomer, pay, subscribeAtStripe } from './billing-scenario.ts'
import { type Life, refundedCents } from './expected-money.ts'
import { CARD, FAILING_CARD, OTHER_CARD } from './trial-scenario.ts'
import type { Plan } from './year-plan.ts'
import {
  BACK_STEP,
  instantOf,
  LOST_STEP,
  PRICE_STEP,
  type Schedule,
  TRADER_STEP,
  trialDaysOf,
} from './year-schedule.ts'
import { codeOf, type YearTrader } from './year-traders.ts'

/** Somebody who follows one trader, with what is drawn for them. */
export type Follower = {
  plan: Plan
  trader: YearTrader
  person: SignedIn & { customer: string }
  life: Life
  /** Stripe's id of the subscription; null until it is bought. */
  id: string | null
}

/** Of a payment that is refunded in part. */
const PART = 0.37

export async function makeFollower(
  scenario: BillingScenario,
  plan: Plan,
  trader: YearTrader,
): Promise<Follower> {
  return { plan, trader, person: await makeCustomer(scenario), life: lifeOf(plan, trader), id: null }
}

/** The acts of a plan as the ledger of the expected money takes them. */
function lifeOf({ schedule, values }: Plan, trader: YearTrader): Life {
  const { code, interval, payment, people, price, trial } = values
  const at = (step: number | null) => (step === null ? null : instantOf(step))
  const of = <Part>(step: number | null, make: (at: Date) => Part): Part | null =>
    step === null ? null : make(instantOf(step))
  const ended =
    people === 'payouts lost for thirty days'
      ? LOST_STEP
      : people === 'trader closes the account'
        ? TRADER_STEP
        : schedule.closes
  const isPause = people.startsWith('payouts lost') || people.startsWith('trader suspended')
  const back = people === 'payouts lost for thirty days' ? LOST_STEP : BACK_STEP
  const begins = instantOf(schedule.begins)
  const is = (...kinds: (typeof payment)[]) => (kinds.includes(payment) ? schedule.pays : null)
  return {
    ...{ interval, begins, trialDays: trialDaysOf(values), cents: trader.before[interval] },
    code: code === 'none' ? null : (trader.codes.get(code) ?? assert.fail()),
    change:
      price === 'kept'
        ? null
        : {
            at: instantOf(PRICE_STEP),
            cents: trader.after[interval],
            agreedAt: at(schedule.agrees),
            takenBackAt: at(schedule.takesBack),
          },
    pause: isPause ? { from: instantOf(TRADER_STEP), to: instantOf(back) } : null,
    ended: at(ended),
    endPlanned: of(schedule.endsTrial ?? schedule.plansEnd, (planned) => ({
      at: planned,
      takenBackAt: at(schedule.keeps),
    })),
    failing:
      trial === 'first payment fails'
        ? { from: begins, forGood: true }
        : of(is('renewal recovers', 'renewal fails'), (from) => ({
            from,
            forGood: payment === 'renewal fails',
          })),
    refund: of(is('refunded in part', 'refunded whole'), (then) => ({
      at: then,
      part: payment === 'refunded whole' ? 1 : PART,
    })),
    dispute: of(is('dispute won', 'dispute lost'), (then) => ({
      at: then,
      decidedAt: at(schedule.decided) ?? assert.fail(),
      won: payment === 'dispute won',
    })),
    double: of(is('paid twice'), (then) => ({
      at: then,
      cents: (then < instantOf(PRICE_STEP) ? trader.before : trader.after).month,
    })),
  }
}

type Acts = { [Name in keyof Schedule]: (scenario: BillingScenario, follower: Follower) => Promise<void> }

/** Each act of a plan, as a person, the operator or the bank does it. */
export const ACTS: Acts = {
  refused: (scenario, { person, trader }) =>
    subscribe(scenario, person, { username: trader.username, trialDays: trader.trialDays }, CARD),
  async begins(scenario, follower) {
    const { life, person, plan, trader } = follower
    const { code, trial } = plan.values
    const card = trial === 'first payment fails' ? FAILING_CARD : OTHER_CARD
    const wanted = {
      username: trader.username,
      interval: life.interval,
      priceCents: life.cents,
      ...(code !== 'none' && { discountCode: codeOf(code) }),
      ...(life.trialDays > 0 && { trialDays: life.trialDays }),
    }
    await subscribe(scenario, person, wanted, isKnown(plan) ? CARD : card)
    const { data } = await scenario.stripe.subscriptions.list({ customer: person.customer })
    follower.id = data[0]?.id ?? assert.fail('nothing was bought')
  },
  endsTrial: (scenario, follower) => press(scenario, follower, 'end-trial'),
  agrees: (scenario, follower) =>
    press(scenario, follower, 'price', { priceCents: follower.trader.after[follower.life.interval] }),
  takesBack: (scenario, follower) => press(scenario, follower, 'price', { priceCents: null }),
  plansEnd: (scenario, { id }) => update(scenario, id, { cancel_at_period_end: true }),
  keeps: (scenario, { id }) => update(scenario, id, { cancel_at_period_end: false }),
  pays: (scenario, follower) => PAYMENTS[follower.plan.values.payment](scenario, follower),
  async decided({ stripe }, { life, person }) {
    const charge = await newestCharge(stripe, person)
    const { data } = await stripe.disputes.list({ charge: charge.id, limit: 1 })
    await stripe.disputes.update(data[0]?.id ?? assert.fail(), {
      evidence: { uncategorized_text: life.dispute?.won ? 'winning_evidence' : 'losing_evidence' },
    })
  },
  async closes({ testApp }, { person }) {
    expect((await closeBy(testApp, person)).status).toBe(200)
  },
}

type Payment = Plan['values']['payment']
const PAYMENTS: Record<Payment, (scenario: BillingScenario, follower: Follower) => Promise<void>> = {
  'as asked': async () => {},
  async 'refunded in part'({ stripe }, { person }) {
    const charge = await newestCharge(stripe, person)
    await stripe.refunds.create({
      charge: charge.id,
      amount: refundedCents(charge.amount, PART),
      reverse_transfer: true,
      refund_application_fee: true,
    })
  },
  'refunded whole': async ({ sandbox, stripe }, { person }) =>
    sandbox.control('refund', { id: (await newestCharge(stripe, person)).id }),
  'dispute won': dispute,
  'dispute lost': dispute,
  'paid twice': async (scenario, { person, trader }) =>
    void (await subscribeAtStripe(scenario, person, trader)),
  'renewal recovers': ({ sandbox }, { id }) => sandbox.control('fail-next', { id }),
  async 'renewal fails'(scenario, { id, person }) {
    const card = await scenario.stripe.paymentMethods.attach('pm_card_chargeCustomerFail', {
      customer: person.customer,
    })
    await update(scenario, id, { default_payment_method: card.id })
  },
}

async function dispute({ sandbox, stripe }: BillingScenario, { person }: Follower): Promise<void> {
  await sandbox.control('dispute', { id: (await newestCharge(stripe, person)).id })
}

async function update(
  { stripe }: BillingScenario,
  id: string | null,
  more: Stripe.SubscriptionUpdateParams,
): Promise<void> {
  await stripe.subscriptions.update(id ?? assert.fail(), more)
}

async function newestCharge(stripe: Stripe, { customer }: { customer: string }): Promise<Stripe.Charge> {
  const { data } = await stripe.charges.list({ customer, limit: 10 })
  return data.find(({ status }) => status === 'succeeded') ?? assert.fail('nothing was paid')
}

async function subscribe(
  { testApp }: BillingScenario,
  who: SignedIn,
  wanted: object,
  card: string,
): Promise<void> {
  const { body, status } = await call(testApp, who, 'POST', '/v1/subscriptions/new', wanted)
  expect({ status, ...body }).toMatchObject({ status: 200 })
  expect((await pay(String(body.url), card)).location).toContain('/payment/success')
}

/** A button of Account > Subscriptions. */
async function press(
  scenario: BillingScenario,
  follower: Follower,
  what: string,
  sent?: object,
): Promise<void> {
  const { rows } = await scenario.testApp.pool.query<{ id: string }>(
    'select id from subscriptions where stripe_subscription_id = $1',
    [follower.id],
  )
  const url = `/v1/subscriptions/${rows[0]?.id}/${what}`
  const { body, status } = await call(scenario.testApp, follower.person, 'POST', url, sent)
  expect({ plan: follower.plan, what, sent, status, ...body }).toMatchObject({
    plan: follower.plan,
    what,
    status: 200,
  })
}

/** Whether it is the trial by whose card others are known. */
export const isKnown = ({ schedule, values }: Plan) => values.trial === '14 days' && schedule.begins === 0

/** Everybody has a card of their own, of which the sandbox knows two that are charged: what is kept of this one becomes another's. */
export async function forgetCard({ testApp }: BillingScenario, { person }: Follower): Promise<void> {
  await testApp.pool.query('update trials set card_hmac = $1 where user_id = $2', [
    randomBytes(32),
    person.userId,
  ])
}
