import { afterAll, expect, test } from 'vitest'
import {
  makeCustomer,
  makePaidTrader,
  owedMails,
  subscribeAtStripe,
} from '../../../test/money/billing-scenario.ts'
import { makeReporter, readNewEvents } from '../../../test/money/event-reporter.ts'
import { type WarnedLife, type WarningAct, warningActs } from '../../../test/money/warning-acts.ts'
import { startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { makeRandom, type Random } from '../../dev/seed/random.ts'

// Stripe sends nothing unasked: the orders alone send what happens there.
const scenario = await startWarningScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())
const { charges, debtsOf, disputesOf, mailsOfWarnings, row, sandbox, stripe, testApp } = scenario
const { pool } = testApp
const { acts: ACTS, wait } = warningActs(scenario)

const DAY_MS = 86_400_000
/** Pauses of refused debts and of failed events are at most six hours. */
const LONGEST_PAUSE_MS = 6 * 3_600_000

type Order = { life: WarnedLife; subscription: string; acts: WarningAct[] }
type Reporter = ReturnType<typeof makeReporter>

const WARNINGS: WarningAct[] = [
  'the card network warns of the last payment',
  'the card network warns of the first payment',
  'the process dies at a warning',
]

/** Up to three acts, a warning, up to three acts: what is drawn is the same for a seed. */
function draw(random: Random): WarningAct[] {
  const names = Object.keys(ACTS) as WarningAct[]
  const some = () => Array.from({ length: random.between(0, 3) }, () => random.pick(names))
  return [...some(), random.pick(WARNINGS), ...some()]
}

/** How disputes of all orders stood behind them. */
const met: string[] = []

test.each(Array.from({ length: 40 }, (_, nth) => nth + 1))(
  'order %i of drawn warnings and disputes returns each payment at most once, tells everybody once, and nothing renews that ended',
  async (seed) => {
    const random = makeRandom(seed)
    const [person, trader] = [await makeCustomer(scenario), await makePaidTrader(scenario)]
    const { id: subscription } = await subscribeAtStripe(scenario, person, trader)
    const life: WarnedLife = { random, person, trader, warned: new Set() }
    await scenario.speak(trader)
    const reporter = makeReporter(scenario, random)
    const acts = draw(random)
    // Of some nothing is known here when the first act comes.
    if (random.next() < 0.8) await reporter.reportAll(await readNewEvents(scenario))
    for (const act of acts) {
      await ACTS[act](life)
      await reporter.reportSome(await readNewEvents(scenario), { acts: false })
    }
    await reporter.finish()
    await sandbox.control('calm')
    for (let round = 0; round < 3; round += 1) {
      await wait(LONGEST_PAUSE_MS)
      await reporter.reportAll(await readNewEvents(scenario))
    }
    const order = { life, subscription, acts }
    await holdMoney(order)
    await holdWords(order)
    await holdEnd(order, reporter)
  },
)

/** A payment goes back once, to the card or to the bank, and its trader has their part of what is left, to the cent of its fee. */
async function holdMoney({ acts, life }: Order): Promise<void> {
  const { trader, warned } = life
  const disputes = await disputesOf(life)
  const owed = new Set(
    (
      await pool.query<{ invoice_id: string }>(
        "select invoice_id from debts where trader_id = $1 and cause = 'fraud_warning' and kind = 'refund'",
        [trader.userId],
      )
    ).rows.map(({ invoice_id }) => invoice_id),
  )
  const { rows } = await pool.query<{ invoice: string; charge: string; refunded: number; has: number }>(
    `select invoice_id as invoice, charge_id as charge, refunded_cents as refunded,
       transferred_cents - reversed_cents - fee_cents + fee_refunded_cents as has
     from invoices where trader_id = $1 and amount_paid_cents > 0`,
    [trader.userId],
  )
  expect([acts, rows.map(({ charge }) => charge).toSorted()]).toEqual([
    acts,
    (await charges(life)).toSorted(),
  ])
  for (const { charge, has, invoice, refunded } of rows) {
    const one = disputes.find((dispute) => dispute.charge === charge)
    const taken = one && isChargeback(one.status) && one.status !== 'won' ? one.amount : 0
    const back = (await stripe.charges.retrieve(charge)).amount_refunded
    expect([acts, refunded]).toEqual([acts, back])
    // Its bank decides of a payment that was disputed before the warning was dealt with.
    if (owed.has(invoice) || (warned.has(charge) && !one)) expect([acts, back + taken]).toEqual([acts, 1000])
    const kept = 1000 - back - taken
    expect([acts, has]).toEqual([acts, kept - Math.round(kept / 10)])
  }
  const { rows: open } = await pool.query(
    "select kind, cause, error from debts where trader_id = $1 and state = 'open'",
    [trader.userId],
  )
  expect([acts, open.filter(({ error }) => error !== 'charge_disputed')]).toEqual([acts, []])
}

/** Both are mailed once of each warning, the trader once of each dispute and of its outcome; each open one has its evidence. */
async function holdWords({ acts, life }: Order): Promise<void> {
  const { person, trader } = life
  const disputes = await disputesOf(life)
  met.push(...disputes.map(({ status }) => status))
  const told = await mailsOfWarnings(life)
  const owed = (await debtsOf(trader)).filter(([debt]) => debt === 'refund fraud_warning')
  const of = (whom: string) => told.filter(([to]) => to === whom).map(([, cents]) => cents)
  expect([acts, of('subscriber')]).toEqual([acts, of('trader')])
  expect([acts, of('subscriber').length]).toEqual([acts, owed.length])
  const [toPerson, toTrader] = [await owedMails(scenario, person), await owedMails(scenario, trader)]
  const outcomes = toTrader.filter(({ kind }) => kind === 'dispute_decided')
  const taken = disputes.filter(({ status }) => isChargeback(status))
  const isOpen = ({ status }: { status: string }) => status !== 'won' && status !== 'lost'
  expect([acts, outcomes.map(({ facts }) => (facts as { outcome: string }).outcome).toSorted()]).toEqual([
    acts,
    taken
      .filter((one) => !isOpen(one))
      .map(({ status }) => status)
      .toSorted(),
  ])
  const opened = toTrader.filter(({ kind }) => kind === 'payment_disputed').length
  expect([acts, opened]).toEqual([acts, expect.toSatisfy((count) => count <= taken.length)])
  expect([acts, opened]).toEqual([acts, expect.toSatisfy((count) => count >= taken.filter(isOpen).length)])
  const { end_reason: reason } = await row(person, trader)
  const ended = toPerson.filter(({ kind }) => kind === 'subscription_ended').map(({ facts }) => facts)
  const disputed = { trader: trader.username, why: 'disputed' }
  expect([acts, ended]).toEqual([acts, reason === 'dispute' ? [disputed] : []])
  const waiting = disputes.filter(({ status }) => status.endsWith('needs_response'))
  const without = waiting.filter(({ evidence_details: details }) => !details.has_evidence)
  expect([acts, without.map(({ id }) => id)]).toEqual([acts, []])
}

/** A subscription ended by what was drawn alone; nothing renews that ended. */
async function holdEnd({ acts, life, subscription }: Order, reporter: Reporter): Promise<void> {
  const { person, trader } = life
  const isTaken = (await disputesOf(life)).some(({ status }) => isChargeback(status))
  const isWarned = (await debtsOf(trader)).some(([debt]) => debt === 'refund fraud_warning')
  const { status } = await stripe.subscriptions.retrieve(subscription)
  const stored = await row(person, trader)
  const ends = isTaken || isWarned || stored.end_reason === 'withdrawn'
  const stands = ends ? 'canceled' : 'active'
  expect([acts, status, stored.status]).toEqual([acts, stands, stands])
  const reasons = [isTaken && 'dispute', isWarned && 'fraud_warning', 'withdrawn', !ends && null]
  expect([acts, reasons.includes(stored.end_reason as 'dispute')]).toEqual([acts, true])
  const paid = await charges(life)
  if (!ends) await stripe.subscriptions.cancel(subscription)
  await wait(62 * DAY_MS)
  await reporter.reportAll(await readNewEvents(scenario))
  expect([acts, await charges(life)]).toEqual([acts, paid])
}

/** By an inquiry the bank takes nothing. */
function isChargeback(status: string): boolean {
  return !status.startsWith('warning_')
}

test('disputes were won, lost, left open, and inquiries among what was drawn', () => {
  const all = ['won', 'lost', 'needs_response', 'warning_needs_response']
  expect(met).toEqual(expect.arrayContaining(all))
})

test('not a cent is missing behind all orders', () => scenario.checkCents())
