import assert from 'node:assert/strict'
import { withPublishing } from '../../src/events/publish-event.ts'
import { newId } from '../../src/platform/ids.ts'
import { recordClose } from '../../src/positions/publish/close-position.ts'
import { lockActivePosition } from '../../src/positions/record/positions.queries.ts'
import { call } from '../factories.ts'
import { planAll } from '../followers.ts'
import { buy, makeCustomer, makePaidTrader, pay } from './billing-scenario.ts'
import type { EmptyMonthScenario } from './empty-month-scenario.ts'
import { CARD } from './trial-scenario.ts'

export type Made = Awaited<ReturnType<EmptyMonthScenario['makeMonth']>>
export type Act = (scenario: EmptyMonthScenario, made: Made & { began: Date }) => Promise<unknown>

/** The fate of two people; those of all stories are in the same two months. */
export type Story = {
  title: string
  /** A month of $10 unless given. */
  make?: (scenario: EmptyMonthScenario) => Promise<Made>
  /** By days since the beginning. */
  acts?: readonly (readonly [day: number, act: Act])[]
  /** It goes on behind its first month; it ends with that unless given. */
  renews?: true
  /** Cents that are back on the card in the end, and that the trader has. */
  back: number
  has: number
  /** The amounts that the follower is told of, in cents, in order. */
  told?: readonly number[]
}

export const speaks =
  (options: Parameters<EmptyMonthScenario['speak']>[1] = {}): Act =>
  ({ speak }, { trader }) =>
    speak(trader, options)

export const speaksAt =
  (ms: number): Act =>
  ({ speak }, { began, trader }) =>
    speak(trader, { at: new Date(began.getTime() + ms) })

export const sql =
  (text: string): Act =>
  ({ testApp }, { trader }) =>
    testApp.pool.query(text, [trader.userId])

export const asSubscriber =
  (text: string): Act =>
  ({ testApp }, { person }) =>
    testApp.pool.query(text, [person.userId])

async function chargeOf({ stripe }: EmptyMonthScenario, { person }: Made): Promise<string> {
  const { data } = await stripe.charges.list({ customer: person.customer })
  return data[0]?.id ?? assert.fail()
}

export const refunds =
  (amount: number): Act =>
  async (scenario, made) =>
    scenario.stripe.refunds.create({
      charge: await chargeOf(scenario, made),
      amount,
      reverse_transfer: true,
      refund_application_fee: true,
    })

export const disputes =
  (evidence: 'winning_evidence' | 'losing_evidence' | null): Act =>
  async (scenario, made) => {
    const charge = await chargeOf(scenario, made)
    await scenario.sandbox.control('dispute', { id: charge })
    await scenario.settle()
    if (evidence === null) return
    const { data } = await scenario.stripe.disputes.list({ charge, limit: 1 })
    await scenario.stripe.disputes.update(data[0]?.id ?? assert.fail(), {
      evidence: { uncategorized_text: evidence },
    })
  }

export const subscriptionOf = async ({ row }: EmptyMonthScenario, { person, trader }: Made) =>
  (await row(person, trader)).stripe_subscription_id ?? assert.fail()

export const cancels: Act = async (scenario, made) =>
  scenario.stripe.subscriptions.cancel(await subscriptionOf(scenario, made))

export const atStripe =
  (action: 'close' | 'restrict' | 'restore'): Act =>
  ({ sandbox }, { trader }) =>
    sandbox.control(action, { id: trader.account })

/** Closes the trader's open positions at the price of the opening. */
export const closes =
  (how: { unsettled: boolean }): Act =>
  async ({ testApp: { clock, db, pool } }, { trader }) => {
    const { rows } = await pool.query<{ symbol: string }>(
      'select symbol from positions where trader_id = $1 and closed_at is null',
      [trader.userId],
    )
    for (const { symbol } of rows)
      await withPublishing(db, trader.userId, async (tx) => {
        const position = await lockActivePosition(tx, { traderId: trader.userId, symbol })
        assert.ok(position)
        const close = {
          closePrice: position.openPrice,
          closeNotes: 'Closed for a reason that is long enough.',
          closedAt: clock.now(),
          closedBy: { previewId: newId() },
          percentageGain: '0',
          overrideUsed: false,
          quotedAt: clock.now(),
          unsettled: how.unsettled,
        }
        await recordClose(tx, position, close, { now: clock.now(), requestId: null })
      })
  }

export const symbolOf = async ({ testApp }: EmptyMonthScenario, { trader }: Made) => {
  const { rows } = await testApp.pool.query<{ symbol: string; id: string }>(
    'select symbol, id from positions where trader_id = $1 order by opened_at desc limit 1',
    [trader.userId],
  )
  return rows[0] ?? assert.fail()
}

/** The mails of all that the trader has published so far end. */
export const mailsEnd: Act = async ({ endMails, testApp }, { trader }) => {
  await planAll(testApp.db, testApp.clock.now())
  await endMails(trader, 'taken')
}

/** A notification of the trader's last event was taken by the follower's browser; the purge runs three days later. */
export const isPushed: Act = async ({ testApp: { clock, pool } }, { person, trader }) => {
  const at = clock.now()
  await pool.query(
    `with key as (
       insert into push_keys (id, public_key, private_sealed, secret_key_id, created_at, replaced_at)
       values ($3, repeat('a', 87), '\\x00', 'test', $4, $4) returning id
     ), device as (
       insert into push_devices (id, user_id, session_id, push_key_id, endpoint, p256dh, auth_secret, token_hash, token_secret_key_id, created_at)
       select $5::uuid, $1, $6, key.id, 'https://push.example/' || $5::uuid::text, decode(repeat('00', 65), 'hex'), decode(repeat('00', 16), 'hex'),
         sha256($5::uuid::text::bytea), 'test', $4 from key returning id
     )
     insert into push_deliveries (trader_id, event_no, device_id, created_at, due_at, ended_at, ended_as)
     select $2, (select max(event_no) from position_events where trader_id = $2), device.id, $4, $4, $4, 'sent' from device`,
    [person.userId, trader.userId, newId(), at, newId(), person.sessionId],
  )
}

export async function makeTrial(scenario: EmptyMonthScenario, card: string = CARD): Promise<Made> {
  const [trader, person] = [await scenario.makeOffering(), await scenario.makePerson()]
  await scenario.tryOut(person, trader, card)
  return { trader, person }
}

export async function makeWithCode(scenario: EmptyMonthScenario): Promise<Made> {
  const { stripe, testApp } = scenario
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  const code = { code: 'LESS20', off: '20 %', months: 1, maxUses: null, lastDay: null, currency: 'usd' }
  const made = await call(testApp, trader, 'POST', '/v1/accounts/discount-codes', code)
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const { body } = await call(testApp, person, 'POST', '/v1/subscriptions/new', {
    username: trader.username,
    discountCode: 'LESS20',
  })
  await pay(String(body.url))
  await scenario.settle()
  assert.equal((await stripe.charges.list({ customer: person.customer })).data[0]?.amount, 800)
  return { trader, person }
}

export async function makeUnfollowedEvent(scenario: EmptyMonthScenario): Promise<Made> {
  const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
  await scenario.speak(trader)
  await buy(scenario, person, trader)
  return { trader, person }
}
