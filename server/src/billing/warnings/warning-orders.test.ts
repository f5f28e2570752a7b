import { afterAll, expect, onTestFinished, test } from 'vitest'
import { call } from '../../../test/factories.ts'
import { makeCustomer, makePaidTrader, subscribeAtStripe } from '../../../test/money/billing-scenario.ts'
import { makeReporter, readNewEvents } from '../../../test/money/event-reporter.ts'
import { startWarningScenario } from '../../../test/money/warning-scenario.ts'
import { startCrashingProcess } from '../../../test/processes/crashing-process.ts'
import { makeRandom, type Random } from '../../dev/seed/random.ts'
import { receiveEvent } from '../webhooks/receive-event.ts'

// Stripe sends nothing unasked: the orders alone send what happens there.
const scenario = await startWarningScenario({ webhooks: false })
afterAll(() => scenario[Symbol.asyncDispose]())
const { charges, debtsOf, row, sandbox, stripe, testApp, mailsOfWarnings } = scenario
const { clock, db, pool } = testApp

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** Pauses of refused debts and of failed events are at most six hours. */
const LONGEST_PAUSE_MS = 6 * HOUR_MS

type Life = {
  random: Random
  person: Awaited<ReturnType<typeof makeCustomer>>
  trader: Awaited<ReturnType<typeof makePaidTrader>>
  subscription: string
  warned: Set<string>
}

async function wait(ms: number): Promise<void> {
  clock.advance(ms)
  await db.updateTable('sessions').set({ refreshed_at: clock.now(), created_at: clock.now() }).execute()
  await sandbox.control('advance', { seconds: 0 })
}

async function warnOf(life: Life, nth: number): Promise<string | null> {
  const id = (await charges(life)).at(nth)
  if (id === undefined) return null
  await sandbox.control('warn-of-fraud', { id })
  life.warned.add(id)
  return id
}

const ACTS = {
  'a month passes': () => wait(31.1 * DAY_MS),
  'five days pass': () => wait(5 * DAY_MS),
  'the card network warns of the last payment': (life: Life) => warnOf(life, -1),
  'the card network warns of the first payment': (life: Life) => warnOf(life, 0),
  'a part comes back': async (life: Life) => {
    const charge = (await charges(life)).at(-1)
    if (charge === undefined || life.warned.has(charge)) return
    const part = { amount: 123, reverse_transfer: true, refund_application_fee: true }
    // Somebody in the dashboard meets the same refusals.
    await stripe.refunds.create({ charge, ...part }).catch(() => undefined)
  },
  /** It is refused where it is over, or its payment is not known yet. */
  'the follower withdraws': async ({ person, trader }: Life) => {
    await wait(5 * DAY_MS)
    const { rows } = await pool.query<{ id: string }>(
      "select id from subscriptions where trader_id = $1 and status <> 'canceled'",
      [trader.userId],
    )
    if (rows[0]) await call(testApp, person, 'POST', `/v1/subscriptions/${rows[0].id}/withdraw`, {})
  },
  'Stripe refuses refunds': ({ random }: Life) =>
    sandbox.control('fault', {
      kind: 'refuse',
      status: 402,
      method: 'POST',
      path: '/v1/refunds',
      times: random.between(1, 3),
    }),
  'the process dies at a warning': async (life: Life) => {
    const charge = await warnOf(life, -1)
    const { data } = await stripe.events.list({ type: 'radar.early_fraud_warning.created', limit: 1 })
    const [event] = data
    if (charge === null || !event) return
    const { id: objectId } = event.data.object as { id: string }
    await receiveEvent(
      db,
      { eventId: event.id, endpoint: 'platform', type: event.type, objectId, apiVersion: event.api_version },
      clock.now(),
    )
    const crashing = await startCrashingProcess(scenario)
    onTestFinished(() => crashing[Symbol.asyncDispose]())
    await crashing.dieAfter(life.random.between(0, 3), 'changes', () => crashing.handleEvent(event.id))
  },
} satisfies Record<string, (life: Life) => Promise<unknown>>
type ActName = keyof typeof ACTS

const WARNINGS: ActName[] = [
  'the card network warns of the last payment',
  'the card network warns of the first payment',
  'the process dies at a warning',
]

/** Up to three acts, a warning, up to two acts: what is drawn is the same for a seed. */
function draw(random: Random): ActName[] {
  const names = Object.keys(ACTS) as ActName[]
  const some = (most: number) => Array.from({ length: random.between(0, most) }, () => random.pick(names))
  return [...some(3), random.pick(WARNINGS), ...some(2)]
}

test.each(Array.from({ length: 40 }, (_, nth) => nth + 1))(
  'order %i of drawn acts returns each warned payment once, and nothing renews',
  async (seed) => {
    const random = makeRandom(seed)
    const [person, trader] = [await makeCustomer(scenario), await makePaidTrader(scenario)]
    const { id: subscription } = await subscribeAtStripe(scenario, person, trader)
    const life: Life = { random, person, trader, subscription, warned: new Set() }
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
    await hold(life, acts)
  },
)

/** Holds behind any order. */
async function hold(life: Life, acts: ActName[]): Promise<void> {
  const { person, subscription, trader, warned } = life
  const paid = await charges(life)
  const back = new Map<string, number>()
  for (const id of paid) back.set(id, (await stripe.charges.retrieve(id)).amount_refunded)
  expect([acts, [...warned].map((id) => back.get(id))]).toEqual([acts, [...warned].map(() => 1000)])
  const { status } = await stripe.subscriptions.retrieve(subscription)
  const stored = await row(person, trader)
  expect([acts, status, stored.status]).toEqual([acts, 'canceled', 'canceled'])
  expect([acts, ['fraud_warning', 'withdrawn'].includes(stored.end_reason ?? '')]).toEqual([acts, true])
  const { rows: open } = await pool.query("select kind from debts where trader_id = $1 and state = 'open'", [
    trader.userId,
  ])
  expect([acts, open]).toEqual([acts, []])
  const { rows: written } = await pool.query<{ charge_id: string; refunded_cents: number }>(
    'select charge_id, refunded_cents from invoices where trader_id = $1 and amount_paid_cents > 0',
    [trader.userId],
  )
  expect([acts, new Map(written.map((one) => [one.charge_id, one.refunded_cents]))]).toEqual([acts, back])
  // Both are mailed once of each payment of which something was left, and all was left of where nobody withdrew.
  const told = await mailsOfWarnings(life)
  const owed = (await debtsOf(trader)).filter(([debt]) => debt === 'refund fraud_warning')
  const of = (whom: string) => told.filter(([to]) => to === whom).map(([, cents]) => cents)
  expect([acts, of('subscriber')]).toEqual([acts, of('trader')])
  expect([acts, of('subscriber').length]).toEqual([acts, owed.length])
  if (!acts.includes('the follower withdraws')) expect([acts, owed.length]).toEqual([acts, warned.size])
  await wait(62 * DAY_MS)
  expect([acts, await charges(life)]).toEqual([acts, paid])
}

test('not a cent is missing behind all orders', () => scenario.checkCents())
