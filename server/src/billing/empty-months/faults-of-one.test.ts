import assert from 'node:assert/strict'
import { afterAll, expect, onTestFinished, test } from 'vitest'
import { startEmptyMonthScenario } from '../../../test/money/empty-month-scenario.ts'
import { judgeEmptyMonths } from './judge-months.ts'

const scenario = await startEmptyMonthScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { back, judge, makeMonth, owed, pass, row, stripe, tell, told, testApp } = scenario
const { clock, db, pool } = testApp

type Made = Awaited<ReturnType<typeof makeMonth>>
const sweep = judgeEmptyMonths(db, { returnEmptyMonths: true })

/** Payments of one list, and one more. */
const MORE_THAN_A_LIST = 201

/** A month that ends with itself, so that later ones of the file are not charged for it. */
async function makeLastMonth(): Promise<Made> {
  const made = await makeMonth()
  const id = (await row(made.person, made.trader)).stripe_subscription_id ?? assert.fail()
  await stripe.subscriptions.update(id, { cancel_at_period_end: true })
  await scenario.settle()
  return made
}

/** Has the database refuse every write of a table about a trader until the test ends, or what is returned is called. */
async function refuseWrites(
  table: 'invoices' | 'outbox',
  column: string,
  { trader }: Made,
): Promise<() => void> {
  const name = `refuse_${table}`
  await pool.query(`create function ${name}() returns trigger language plpgsql as
    $$ begin raise exception 'this one fails'; end $$`)
  await pool.query(`create trigger ${name} before insert or update on ${table} for each row
    when (new.${column} = '${trader.userId}') execute function ${name}()`)
  const allow = () => pool.query(`drop function if exists ${name} cascade`)
  onTestFinished(async () => void (await allow()))
  return allow
}

/** Copies of somebody's payment, due before every other one, more than one list holds. */
async function copyPayments({ trader }: Made): Promise<void> {
  await pool.query(
    `insert into invoices select (jsonb_populate_record(invoice, jsonb_build_object('invoice_id', 'in_copy_' || nth,
       'judge_at', invoice.judge_at - interval '1 hour', 'charge_id', null, 'payment_intent_id', null))).*
     from invoices invoice, generate_series(1, $2) nth where trader_id = $1`,
    [trader.userId, MORE_THAN_A_LIST],
  )
}

async function forgetCopies(): Promise<void> {
  for (const table of ['debts', 'invoices'])
    await pool.query(`delete from ${table} where invoice_id like 'in_copy_%'`)
  await scenario.settle()
}

test('payments that cannot be judged keep no other one waiting, and the next run judges them', async () => {
  const [failing, other] = [await makeLastMonth(), await makeLastMonth()]
  await judge()
  await copyPayments(failing)
  await pass(31.1)
  const allow = await refuseWrites('invoices', 'trader_id', failing)
  await expect(sweep.run(clock.now())).rejects.toThrow('this one fails')
  expect([await owed(failing.trader), await owed(other.trader)]).toMatchObject([[], [{ state: 'open' }]])
  await allow()
  await sweep.run(clock.now())
  expect(await owed(failing.trader)).toHaveLength(1 + MORE_THAN_A_LIST)
  await forgetCopies()
  expect([await back(failing.person), await back(other.person)]).toEqual([1000, 1000])
})

test('payments that another worker has in hand are left to it: two runs at once end, and judge each once', async () => {
  const [held, other] = [await makeLastMonth(), await makeLastMonth()]
  await judge()
  await copyPayments(held)
  await pass(31.1)
  const worker = await pool.connect()
  onTestFinished(() => worker.release(true))
  await worker.query('begin')
  await worker.query('select from invoices where trader_id = $1 for update', [held.trader.userId])
  await Promise.all([sweep.run(clock.now()), sweep.run(clock.now())])
  expect([await owed(held.trader), await owed(other.trader)]).toMatchObject([[], [{ state: 'open' }]])
  await worker.query('rollback')
  await Promise.all([sweep.run(clock.now()), sweep.run(clock.now())])
  expect(await owed(held.trader)).toHaveLength(1 + MORE_THAN_A_LIST)
  await forgetCopies()
  expect([await back(held.person), await back(other.person)]).toEqual([1000, 1000])
})

test('a trader who cannot be told keeps no other one waiting, before the end and after it', async () => {
  const one = await makeLastMonth()
  const two = await makeLastMonth()
  // The lists go by the trader's id.
  const [failing, other] = one.trader.userId < two.trader.userId ? [one, two] : [two, one]
  await pass(24)
  await judge()
  const kindsOf = async ({ trader }: Made) => (await told(trader)).map(([kind]) => kind)
  const allow = await refuseWrites('outbox', 'user_id', failing)
  await expect(tell()).rejects.toThrow('this one fails')
  expect([await kindsOf(failing), await kindsOf(other)]).toEqual([[], ['empty_months_ahead']])
  await allow()
  await tell()
  await pass(7.1)
  await judge()
  const allowAgain = await refuseWrites('outbox', 'user_id', failing)
  await expect(tell()).rejects.toThrow('this one fails')
  const both = ['empty_months_ahead', 'empty_months_returned']
  expect([await kindsOf(failing), await kindsOf(other)]).toEqual([['empty_months_ahead'], both])
  await allowAgain()
  for (let nth = 0; nth < 2; nth += 1) await tell()
  expect([await kindsOf(failing), await kindsOf(other)]).toEqual([both, both])
})
