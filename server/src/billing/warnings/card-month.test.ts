import { afterAll, expect, test } from 'vitest'
import { startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { openMetricsPort } from '../../../test/processes/metrics-port.ts'
import { askStatus } from '../../../test/run-operator.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { describeMonth, monthOf, reachedLimits, watchCards } from './card-month.ts'

const scenario = await startWarningScenario()
afterAll(() => scenario[Symbol.asyncDispose]())
const { makeMonth, row, sandbox, testApp, warned } = scenario
const { clock, db, pool } = testApp

const watch = async () => {
  const sweep = watchCards(db)
  await Promise.all([sweep.run(clock.now()), sweep.run(clock.now())])
  const mails = await takeMails(testApp, ['operator_notice'], { operatorEmail: 'operator@example.com' })
  return mails.filter(({ subject }) => subject.includes('warnings and disputes'))
}
const subjects = async () => (await watch()).map(({ subject }) => subject)

/** Has a month have so many payments, warnings and disputes, beside those of real people. */
async function fill(of: { payments: number; warned: number; disputed: number; status?: string }, at: Date) {
  const made = await makeMonth()
  await scenario.endAll()
  const { id } = await row(made.person, made.trader)
  await pool.query('delete from invoices where trader_id = $1', [made.trader.userId])
  await pool.query(
    `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, currency, created_at,
       paid_at, synced_at, warned_at, disputed_at, dispute_status)
     select $1, 'in_' || $2 || nth, $2::uuid, 'paid', 1000, 1000, 'usd', $3, $3, $3, case when nth <= $5 then $3::timestamptz end,
       case when nth > $5 and nth <= $5 + $6 then $3::timestamptz end, case when nth > $5 and nth <= $5 + $6 then $7 end
     from generate_series(1, $4::int) nth`,
    [made.trader.userId, id, at, of.payments, of.warned, of.disputed, of.status ?? 'needs_response'],
  )
}

test('the limits count from five warnings and disputes on, to the hundredth of a percent', () => {
  const reached = (warnings: number, disputes: number, payments: number) =>
    reachedLimits({ warnings, disputes, payments }).map(({ alarm }) => alarm)
  expect(reached(1, 0, 3)).toEqual([])
  expect(reached(2, 2, 4)).toEqual([])
  expect(reached(3, 2, 1251)).toEqual([])
  expect(reached(3, 2, 1250)).toEqual(['TradepostCardsNear'])
  expect(reached(5, 0, 667)).toEqual(['TradepostCardsNear'])
  expect(reached(0, 6, 800)).toEqual(['TradepostCardsOver', 'TradepostCardsNear'])
  expect(reached(5, 0, 0)).toEqual(['TradepostCardsOver', 'TradepostCardsNear'])
})

test('a month is described with two decimals, and ends where the next one begins', () => {
  expect(describeMonth({ warnings: 4, disputes: 1, payments: 1000 })).toBe(
    '4 warnings and 1 dispute in 1,000 payments of this month, 0.50 %',
  )
  expect(describeMonth({ warnings: 1, disputes: 0, payments: 3 })).toBe(
    '1 warning and 0 disputes in 3 payments of this month, 33.33 %',
  )
  expect(describeMonth({ warnings: 0, disputes: 0, payments: 0 })).toBe(
    '0 warnings and 0 disputes in 0 payments of this month',
  )
  expect(monthOf(new Date('2026-12-31T23:59:59.999Z'))).toEqual({
    start: new Date('2026-12-01T00:00:00.000Z'),
    end: new Date('2027-01-01T00:00:00.000Z'),
  })
})

test('warnings and disputes of a real month are counted, by status and metrics alike', async () => {
  clock.set(new Date('2027-03-05T12:00:00.000Z'))
  const [one, other] = [await makeMonth(), await makeMonth()]
  await makeMonth()
  await warned(one)
  const [id] = await scenario.charges(other)
  await sandbox.control('dispute', { id })
  await scenario.settle()
  await warned(other)
  expect(await subjects()).toEqual([])
  const { text } = await askStatus(testApp)
  expect(text).toMatch(
    /^ {2}Warnings and disputes +2 warnings and 1 dispute in 3 payments of this month, 100\.00 %$/m,
  )
  await using metrics = await openMetricsPort(testApp)
  expect(await metrics.read('tradepost_card_warnings')).toBe(2)
  expect(await metrics.read('tradepost_card_disputes')).toBe(1)
  expect(await metrics.read('tradepost_card_payments')).toBe(3)
})

test('the operator is mailed once for each month and limit, by the worker’s hourly look', async () => {
  await scenario.endAll()
  clock.set(new Date('2027-04-30T23:00:00.000Z'))
  await fill({ payments: 1000, warned: 3, disputed: 0 }, clock.now())
  // Neither the month before, nor the next one, nor an inquiry counts.
  await fill({ payments: 9, warned: 9, disputed: 0 }, new Date('2027-03-31T23:59:59.999Z'))
  await fill({ payments: 9, warned: 9, disputed: 0 }, new Date('2027-05-01T00:00:00.000Z'))
  await fill({ payments: 100, warned: 0, disputed: 100, status: 'warning_needs_response' }, clock.now())
  expect(await subjects()).toEqual([])
  await fill({ payments: 100, warned: 0, disputed: 2 }, clock.now())
  const mails = await watch()
  expect(mails.map(({ subject }) => subject)).toEqual([
    'Tradepost: payments: warnings and disputes have reached 0.40 %',
  ])
  expect(mails[0]?.text).toContain('3 warnings and 2 disputes in 1,200 payments of this month, 0.42 %')
  expect(mails[0]?.text).toContain('TradepostCardsNear in docs/operations.md')
  expect(await subjects()).toEqual([])
  await fill({ payments: 5, warned: 5, disputed: 0 }, clock.now())
  expect(await subjects()).toEqual(['Tradepost: payments: warnings and disputes have reached 0.75 %'])
  expect(await subjects()).toEqual([])
  const { code, text } = await askStatus(testApp)
  expect(code).toBe(1)
  expect(text).toMatch(/^! Warnings and disputes .*\(TradepostCardsOver\)$/m)
  // The next month reaches both at once: one mail, of the higher one.
  clock.set(new Date('2027-05-02T00:00:00.000Z'))
  expect(await subjects()).toEqual(['Tradepost: payments: warnings and disputes have reached 0.75 %'])
  expect(await subjects()).toEqual([])
})
