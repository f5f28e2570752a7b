import { onTestFinished } from 'vitest'
import { receiveEvent } from '../../src/billing/webhooks/receive-event.ts'
import type { Random } from '../../src/dev/seed/random.ts'
import { call } from '../factories.ts'
import { startCrashingProcess } from '../processes/crashing-process.ts'
import type { makeCustomer, makePaidTrader } from './billing-scenario.ts'
import type { WarningScenario } from './warning-scenario.ts'

const DAY_MS = 86_400_000

/** One follower of one trader. @property warned charges that the card network warned of while that could be acted on */
export type WarnedLife = {
  random: Random
  person: Awaited<ReturnType<typeof makeCustomer>>
  trader: Awaited<ReturnType<typeof makePaidTrader>>
  warned: Set<string>
}

type Act = (life: WarnedLife) => Promise<unknown>

/** The acts of which orders of warnings and disputes are drawn, by their names. @param scenario without webhooks */
export function warningActs(scenario: WarningScenario) {
  const { charges, sandbox, stripe, testApp } = scenario
  const { clock, db, pool } = testApp

  async function wait(ms: number): Promise<void> {
    clock.advance(ms)
    await db.updateTable('sessions').set({ refreshed_at: clock.now(), created_at: clock.now() }).execute()
    await sandbox.control('advance', { seconds: 0 })
  }

  async function warnOf(life: WarnedLife, nth: number): Promise<string | null> {
    const id = (await charges(life)).at(nth)
    if (id === undefined) return null
    await sandbox.control('warn-of-fraud', { id })
    const { data } = await stripe.radar.earlyFraudWarnings.list({ charge: id, limit: 1 })
    if (data[0]?.actionable) life.warned.add(id)
    return id
  }

  /** A bank takes no payment back twice, and none that went back whole. */
  async function dispute(life: WarnedLife, nth: number, action: 'dispute' | 'inquire'): Promise<void> {
    const id = (await charges(life)).at(nth)
    if (id === undefined) return
    const { disputed, refunded } = await stripe.charges.retrieve(id)
    if (!disputed && !refunded) await sandbox.control(action, { id })
  }

  /** The bank decides of the newest dispute that is open; one whose evidence was sent is lost. */
  async function decide(life: WarnedLife, evidence: string): Promise<void> {
    const open = (await scenario.disputesOf(life)).find(({ status }) => !DECIDED.includes(status))
    if (!open) return
    if (open.status.endsWith('under_review')) await stripe.disputes.close(open.id)
    else await stripe.disputes.update(open.id, { evidence: { uncategorized_text: evidence } })
  }

  /** Dies while it deals with the newest event of a type. */
  async function die({ random }: WarnedLife, type: string): Promise<void> {
    const [event] = (await stripe.events.list({ type, limit: 1 })).data
    if (!event) return
    const { id: objectId } = event.data.object as { id: string }
    const about = { eventId: event.id, type: event.type, objectId, apiVersion: event.api_version }
    await receiveEvent(db, { ...about, endpoint: 'platform' }, clock.now())
    const crashing = await startCrashingProcess(scenario)
    onTestFinished(() => crashing[Symbol.asyncDispose]())
    await crashing.dieAfter(random.between(0, 3), 'changes', () => crashing.handleEvent(event.id))
  }

  const acts = {
    'a month passes': () => wait(31.1 * DAY_MS),
    'five days pass': () => wait(5 * DAY_MS),
    'the card network warns of the last payment': (life) => warnOf(life, -1),
    'the card network warns of the first payment': (life) => warnOf(life, 0),
    'the bank takes the last payment back': (life) => dispute(life, -1, 'dispute'),
    'the bank takes the first payment back': (life) => dispute(life, 0, 'dispute'),
    'the bank asks about the last payment': (life) => dispute(life, -1, 'inquire'),
    'an inquiry becomes a chargeback, or a dispute waits on': (life) =>
      decide(life, 'escalate_inquiry_evidence'),
    'the bank gives back what it took': (life) => decide(life, 'winning_evidence'),
    'the bank keeps what it took': (life) => decide(life, 'losing_evidence'),
    'a part comes back': async (life) => {
      const charge = (await charges(life)).at(-1)
      if (charge === undefined || life.warned.has(charge)) return
      const part = { amount: 123, reverse_transfer: true, refund_application_fee: true }
      // Somebody in the dashboard meets the same refusals.
      await stripe.refunds.create({ charge, ...part }).catch(() => undefined)
    },
    /** It is refused where it is over, or its payment is not known yet. */
    'the follower withdraws': async ({ person, trader }) => {
      await wait(5 * DAY_MS)
      const { rows } = await pool.query<{ id: string }>(
        "select id from subscriptions where trader_id = $1 and status <> 'canceled'",
        [trader.userId],
      )
      if (rows[0]) await call(testApp, person, 'POST', `/v1/subscriptions/${rows[0].id}/withdraw`, {})
    },
    'Stripe refuses refunds': ({ random }) => scenario.refuseRefunds(random.between(1, 3)),
    'the process dies at a warning': async (life) => {
      await warnOf(life, -1)
      await die(life, 'radar.early_fraud_warning.created')
    },
    'the process dies at a dispute': async (life) => {
      await dispute(life, -1, 'dispute')
      await die(life, 'charge.dispute.created')
    },
  } satisfies Record<string, Act>
  return { acts, wait }
}

const DECIDED = ['won', 'lost', 'warning_closed']
export type WarningAct = keyof ReturnType<typeof warningActs>['acts']
