import { afterAll, beforeEach, expect, test } from 'vitest'
import { startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { runOperator } from '../../../test/run-operator.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { returnWarned } from './return-warned.ts'

const scenario = await startWarningScenario({ settings: { fraudWarningMaxCents: 999 } })
afterAll(() => scenario[Symbol.asyncDispose]())
const { back, makeMonth, money, standsAs, stripe, testApp, mailsOfWarnings, warn, warned } = scenario
const { clock, db, settings } = testApp

const takeNotices = () => takeMails(testApp, ['operator_notice'], { operatorEmail: 'operator@example.com' })
const command = (...words: string[]) => runOperator(testApp, 'refund-warning', ...words)

beforeEach(async () => void (await takeNotices()))

test('above the amount of the setting the operator is mailed the command once, and it returns the payment', async () => {
  const made = await makeMonth()
  const charge = await warn(made)
  await warned(made)
  expect([await money(made), await standsAs(made), await mailsOfWarnings(made)]).toEqual([
    [0, 900],
    ['active', null],
    [],
  ])
  const notices = await takeNotices()
  expect(notices.map(({ subject }) => subject)).toEqual([
    'Tradepost: payments: a payment may be fraud, says the card network',
  ])
  expect(notices[0]?.text).toContain(`of which $10.00 is left, more than FRAUD_WARNING_MAX_CENTS`)
  expect(notices[0]?.text).toContain(`npm run operator -- refund-warning ${charge}`)
  const listed = `  ${charge}  $10.00 of $10.00  @${made.trader.username}`
  expect(await command()).toMatch(/^[\dT:.-]+Z {2}ch_/)
  expect(await command()).toContain(listed)
  await warned(made)
  expect(await takeNotices()).toEqual([])
  expect(await command(charge)).toBe('Returning $10.00; the subscription has ended.\n')
  expect(await command()).toBe('No warning is open.\n')
  expect(await standsAs(made)).toEqual(['canceled', 'fraud_warning'])
  // The command's clock goes on.
  clock.advance(60_000)
  await scenario.settle()
  expect(await money(made)).toEqual([1000, 0])
  expect(await mailsOfWarnings(made)).toEqual([
    ['subscriber', 1000],
    ['trader', 1000],
  ])
  expect(await command(charge)).toBe('Nothing of it is here to return.\n')
  expect(await mailsOfWarnings(made)).toHaveLength(2)
  expect(await takeNotices()).toEqual([])
})

test('at the amount of the setting what is left goes back by itself', async () => {
  const made = await makeMonth()
  const [charge = ''] = await scenario.charges(made)
  await stripe.refunds.create({ charge, amount: 1, reverse_transfer: true, refund_application_fee: true })
  await scenario.settle()
  await warned(made)
  expect([await money(made), await standsAs(made)]).toEqual([
    [1000, 0],
    ['canceled', 'fraud_warning'],
  ])
  expect(await takeNotices()).toEqual([])
})

test('the command returns nothing that nobody warned of, that is not known, or that a bank has', async () => {
  const made = await makeMonth()
  const [charge = ''] = await scenario.charges(made)
  await expect(command('ch_none')).rejects.toThrow('No payment for a subscription has this charge.')
  await expect(command(charge)).rejects.toThrow('No card network has warned of this charge.')
  await warned(made)
  await scenario.sandbox.control('dispute', { id: charge })
  await scenario.settle()
  expect(await command(charge)).toBe('Nothing of it is here to return.\n')
  expect(await command()).toBe('No warning is open.\n')
  expect([await money(made), await mailsOfWarnings(made)]).toEqual([[0, 0], []])
})

test('with 0 nothing goes back by itself, however little is left', async () => {
  const made = await makeMonth()
  const [chargeId = ''] = await scenario.charges(made)
  const { payment_intent: paymentId } = await stripe.charges.retrieve(chargeId)
  await stripe.refunds.create({ charge: chargeId, amount: 999 })
  await scenario.settle()
  const never = { db, settings: { ...settings, fraudWarningMaxCents: 0 } }
  const warning = { chargeId, paymentId: String(paymentId), createdAt: clock.now(), isOpen: true }
  expect(await returnWarned(never, warning, clock.now())).toBe(true)
  await scenario.settle()
  expect([await back(made.person), await standsAs(made)]).toEqual([999, ['active', null]])
  expect(await takeNotices()).toHaveLength(1)
})
