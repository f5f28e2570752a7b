import assert from 'node:assert/strict'
import { judgeEmptyMonths } from '../../src/billing/empty-months/judge-months.ts'
import { notifyTraders } from '../../src/billing/empty-months/notify-traders.ts'
import { countOpened } from '../../src/positions/record/stats.queries.ts'
import { call, type Trader } from '../factories.ts'
import { planAll, publish } from '../followers.ts'
import type { SignedIn } from '../sign-in/sign-in.ts'
import { buy, findSubscription, makeCustomer, makePaidTrader, owedMails, pay } from './billing-scenario.ts'
import { followEveryCent } from './follow-every-cent.ts'
import { moneyOf } from './money-of.ts'
import { startTrialScenario, type TrialScenario } from './trial-scenario.ts'

/** How the mails of an event went: a server took them, they were given up, or they are still to be sent. */
type Mails = 'taken' | 'given up' | 'waiting'

type PaidTrader = Trader & { account: string }
type Person = SignedIn & { customer: string }

export type EmptyMonthScenario = TrialScenario & {
  /** The worker's hourly look at months, and all that is owed after it. */
  judge(options?: { on?: boolean }): Promise<void>
  /** The worker's daily mails to traders. */
  tell(): Promise<void>
  /** A trader and somebody who has paid a month of theirs: $10, of which 10 % is the platform's. */
  makeMonth(): Promise<{ trader: PaidTrader; person: Person }>
  /** The same for a year: $125, of which $12.50 is the platform's. */
  makeYear(): Promise<{ trader: PaidTrader; person: Person }>
  /** Has a trader open a position, now unless given. */
  speak(
    trader: SignedIn,
    options?: { mails?: Mails; at?: Date },
  ): Promise<{ positionId: string; eventNo: number }>
  /** Has the mails of all events of a trader so far end. */
  endMails(trader: SignedIn, mails: Exclude<Mails, 'waiting'>): Promise<void>
  /** Cents that came back to somebody's card so far. */
  back(person: Person): Promise<number>
  /** Cents that a trader has at Stripe. */
  has(trader: PaidTrader): Promise<number>
  /** Debts of a trader for empty months, the oldest first. */
  owed(trader: SignedIn): Promise<{ cause: string; state: string; amount_cents: number | null }[]>
  /** Mails of these rules to somebody. */
  told(who: SignedIn): Promise<[kind: string, facts: unknown][]>
  row(person: SignedIn, trader: SignedIn): ReturnType<typeof findSubscription>
  /** Everything of a trader adds up to the cent, over all traders of the scenario. */
  checkCents(): Promise<void>
}

/** The app in front of the sandbox's Stripe, with empty months switched on. */
export async function startEmptyMonthScenario(
  options: Parameters<typeof startTrialScenario>[0] = {},
): Promise<EmptyMonthScenario> {
  const scenario = await startTrialScenario(options)
  const { stripe, testApp } = scenario
  const { clock, db, pool } = testApp
  const judge = async ({ on = true } = {}) => {
    await judgeEmptyMonths(db, { returnEmptyMonths: on }).run(clock.now())
    await scenario.settle()
  }
  await judge()
  const makePeople = async () => {
    const [trader, person] = [await makePaidTrader(scenario), await makeCustomer(scenario)]
    return { trader, person }
  }
  let spoken = 0
  return {
    ...scenario,
    judge,
    tell: () => notifyTraders(db, { returnEmptyMonths: true }, clock.now()),
    async makeMonth() {
      const made = await makePeople()
      await buy(scenario, made.person, made.trader)
      return made
    },
    async makeYear() {
      const made = await makePeople()
      const prices = { monthly: '12.50', yearly: '', currency: 'usd' }
      assert.equal((await call(testApp, made.trader, 'POST', '/v1/accounts/prices', prices)).status, 200)
      await scenario.settle()
      const asked = { username: made.trader.username, interval: 'year', priceCents: 12_500 }
      const { body } = await call(testApp, made.person, 'POST', '/v1/subscriptions/new', asked)
      await pay(String(body.url))
      await scenario.settle()
      return made
    },
    async speak(trader, { at = clock.now(), mails = 'taken' } = {}) {
      spoken += 1
      const crowd = { traderId: trader.userId, username: '' }
      const { positionId } = await publish(db, crowd, { symbol: `S${spoken}` }, at)
      await countOpened(db, trader.userId, at)
      const { rows } = await pool.query<{ event_no: number }>(
        'select max(event_no)::int as event_no from position_events where trader_id = $1',
        [trader.userId],
      )
      const eventNo = rows[0]?.event_no ?? assert.fail()
      await planAll(db, at)
      if (mails !== 'waiting') await endMails(testApp, trader, mails)
      return { positionId, eventNo }
    },
    endMails: (trader, mails) => endMails(testApp, trader, mails),
    async back({ customer }) {
      const { data } = await stripe.charges.list({ customer, limit: 100 })
      return data.reduce((sum, { amount_refunded }) => sum + amount_refunded, 0)
    },
    has: ({ account }) => moneyOf(stripe, account),
    async owed({ userId }) {
      const { rows } = await pool.query(
        "select cause, state, amount_cents from debts where trader_id = $1 and kind = 'empty_month' order by cause",
        [userId],
      )
      return rows
    },
    told: async (who) =>
      (await owedMails(scenario, who))
        .filter(({ kind }) => kind.startsWith('empty_'))
        .map(({ facts, kind }) => [kind, facts]),
    row: (person, trader) => findSubscription(scenario, person, trader),
    checkCents: async () => {
      const { rows } = await pool.query<{ account: string; userId: string }>(
        'select stripe_account_id as account, user_id as "userId" from payout_accounts',
      )
      await followEveryCent({ pool, sandbox: scenario.sandbox, stripe }, rows)
    },
  }
}

/** As the senders leave the mails of events once they are over. */
async function endMails(
  { clock, pool }: Pick<TrialScenario['testApp'], 'clock' | 'pool'>,
  { userId }: SignedIn,
  mails: Exclude<Mails, 'waiting'>,
): Promise<void> {
  const values = [userId, clock.now()]
  const { rows } = await pool.query<{ event_no: number }>(
    `update delivery_ranges set progress_mail_no = to_mail_no, first_sent_at = $2, last_sent_at = $2, done_at = $2
     where trader_id = $1 and done_at is null returning event_no`,
    values,
  )
  if (mails === 'taken') return
  await pool.query(
    `insert into delivery_exceptions (trader_id, event_no, mail_no, state, tries, created_at, updated_at)
     select $1, event_no, mail_no, 'failed', 8, $2, $2
     from subscriptions, unnest($3::bigint[]) event_no where trader_id = $1`,
    [...values, rows.map(({ event_no }) => event_no)],
  )
}
