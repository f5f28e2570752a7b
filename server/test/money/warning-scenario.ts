import assert from 'node:assert/strict'
import type Stripe from 'stripe'
import { call, type Trader } from '../factories.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { owedMails } from './billing-scenario.ts'
import { type EmptyMonthScenario, startEmptyMonthScenario } from './empty-month-scenario.ts'

type Made = Awaited<ReturnType<EmptyMonthScenario['makeMonth']>>

export type WarningScenario = EmptyMonthScenario & {
  /** Somebody's charges that were paid, the first one first. */
  charges(made: Made): Promise<string[]>
  /** Has the card network warn of a charge of somebody's, the last one unless given; nothing is done about it yet. @returns the charge */
  warn(made: Made, nth?: number): Promise<string>
  /** The same, and all that follows. */
  warned(made: Made, nth?: number): Promise<string>
  /** The mails of warnings to both: to whom, and the amount in cents. */
  mailsOfWarnings(made: Made): Promise<[to: string, cents: number][]>
  /** Debts of a trader by kind and cause, with state and cents. */
  debtsOf(trader: SignedIn): Promise<[debt: string, state: string, cents: number | null][]>
  /** Status and end of what somebody pays a trader for. */
  standsAs(made: Made): Promise<[status: string, endReason: string | null]>
  /** Whether somebody may see what a trader holds. */
  hasAccess(person: SignedIn, trader: Trader): Promise<boolean>
  /** Cents that are back on the card, and with the trader. */
  money(made: Made): Promise<[back: number, trader: number]>
  /** Stripe's id of the newest subscription. */
  subscriptionOf(made: Made): Promise<string>
  /** Turns the platform's webhook at Stripe off or on. */
  setWebhooksDisabled(disabled: boolean): Promise<void>
  /** Nobody is charged any more. */
  endAll(): Promise<void>
  /** Withdraws as the window does. */
  withdraws(made: Made): Promise<void>
  /** When the card network warned of each payment to a trader, the oldest payment first; null for one of which it did not. */
  warnedAt(made: Made): Promise<(Date | null)[]>
  /** Disputes and inquiries of somebody's payments, the newest first. */
  disputesOf(made: Made): Promise<Stripe.Dispute[]>
  /** Has Stripe refuse the next refunds, a hundred unless given. */
  refuseRefunds(times?: number): Promise<void>
}

/** How the subscription of a payment that was warned of stands. */
export const ENDED = ['canceled', 'fraud_warning']

/** The mails of one warning, by `mailsOfWarnings`. */
export const bothOnce = (cents: number) => [
  ['subscriber', cents],
  ['trader', cents],
]

/** The app in front of the sandbox's Stripe, whose card networks warn of payments. Nothing comes back for empty months. */
export async function startWarningScenario(
  options: Parameters<typeof startEmptyMonthScenario>[0] = {},
): Promise<WarningScenario> {
  const scenario = await startEmptyMonthScenario(options)
  await scenario.judge({ on: false })
  const { sandbox, stripe, testApp } = scenario
  const { pool } = testApp
  const charges = async ({ person }: Made) => {
    const { data } = await stripe.charges.list({ customer: person.customer, limit: 100 })
    return data
      .filter(({ status }) => status === 'succeeded')
      .map(({ id }) => id)
      .toReversed()
  }
  const warn = async (made: Made, nth = -1) => {
    const id = (await charges(made)).at(nth) ?? assert.fail('nothing was paid')
    await sandbox.control('warn-of-fraud', { id })
    return id
  }
  return {
    ...scenario,
    charges,
    warn,
    async warned(made, nth) {
      const id = await warn(made, nth)
      await scenario.settle()
      return id
    },
    async mailsOfWarnings({ person, trader }) {
      const mails = [...(await owedMails(scenario, person)), ...(await owedMails(scenario, trader))]
      return mails
        .filter(({ kind }) => kind === 'payment_warned')
        .map(({ facts }) => facts as { to: string; amountCents: number })
        .map(({ amountCents, to }) => [to, amountCents])
    },
    async debtsOf({ userId }) {
      const { rows } = await pool.query<{ debt: string; state: string; cents: number | null }>(
        `select kind || ' ' || cause as debt, state, amount_cents as cents from debts
         where trader_id = $1 order by array_position(array['end', 'void', 'refund'], kind), created_at, id`,
        [userId],
      )
      return rows.map(({ cents, debt, state }) => [debt, state, cents])
    },
    async standsAs({ person, trader }) {
      const row = await scenario.row(person, trader)
      return [row.status, row.end_reason]
    },
    async hasAccess(person, trader) {
      const { body } = await call(testApp, person, 'GET', `/v1/subscriptions/${trader.username}`)
      return body.subscribed === true
    },
    money: async ({ person, trader }) => [await scenario.back(person), await scenario.has(trader)],
    subscriptionOf: async ({ person, trader }) =>
      (await scenario.row(person, trader)).stripe_subscription_id ?? assert.fail(),
    async setWebhooksDisabled(disabled) {
      for (const { id } of (await stripe.webhookEndpoints.list()).data)
        await stripe.webhookEndpoints.update(id, { disabled })
    },
    async endAll() {
      const { data } = await stripe.subscriptions.list({ limit: 100 })
      for (const { id } of data) await stripe.subscriptions.cancel(id)
      await scenario.settle()
    },
    async withdraws({ person, trader }) {
      const { id } = await scenario.row(person, trader)
      const { body, status } = await call(testApp, person, 'POST', `/v1/subscriptions/${id}/withdraw`, {})
      assert.equal(status, 200, JSON.stringify(body))
    },
    async warnedAt({ trader }) {
      const { rows } = await pool.query<{ warned_at: Date | null }>(
        'select warned_at from invoices where trader_id = $1 order by created_at',
        [trader.userId],
      )
      return rows.map(({ warned_at }) => warned_at)
    },
    async disputesOf(made) {
      const found: Stripe.Dispute[] = []
      for (const charge of await charges(made)) found.push(...(await stripe.disputes.list({ charge })).data)
      return found.toSorted((one, other) => other.created - one.created)
    },
    refuseRefunds: (times = 100) =>
      sandbox.control('fault', { kind: 'refuse', status: 402, method: 'POST', path: '/v1/refunds', times }),
  }
}
