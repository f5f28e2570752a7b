import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { control } from '../contract/cases.ts'
import { api, setScene, subscribe } from '../contract/scene.ts'
import { openInbox } from '../contract/world.ts'
import { fields, number, text } from '../shape/shape.ts'
import { openDatabase } from './database.ts'

const MAIN = join(import.meta.dirname, '../../main.ts')

async function start(dataDir: string): Promise<{ child: ChildProcess; url: string }> {
  const env = {
    ...process.env,
    DATA_DIR: dataDir,
    SANDBOX_PARTS: 'stripe',
    SANDBOX_PORT: '0',
    SANDBOX_SMTP_PORT: '0',
    HOST: '',
  }
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['pipe', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout?.once('data', (text: Buffer) =>
      resolve((JSON.parse(text.toString()) as { url: string }).url),
    )
    child.once('exit', () => reject(new Error('The sandbox ended before it was ready.')))
  })
  return { child, url }
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGKILL')
  await ended
}

type Api = Parameters<typeof api>[0]

type Clock = { id: string; status: string }

const CLOCKS = '/v1/test_helpers/test_clocks'
const JANUARY = Date.UTC(2030, 0, 1) / 1000
const DAY = 86_400

async function standing(world: Api, clock: string): Promise<string> {
  return (await api<Clock>(world, 'GET', `${CLOCKS}/${clock}`)).status
}

test('a sandbox that is killed at any moment leaves nothing half done, and goes on delivering afterwards', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'stripe-crash-'))
  await using inbox = await openInbox()
  let running = await start(dataDir)
  const at = () => running as unknown as Api
  await api(at(), 'POST', '/v1/webhook_endpoints', { url: inbox.url, enabled_events: ['invoice.paid'] })
  const scene = await setScene(at(), 'crash')
  for (let n = 0; n < 12; n++) await subscribe(at(), scene)
  const clock = await api<Clock>(at(), 'POST', CLOCKS, { frozen_time: JANUARY })
  const { id: customer } = await api(at(), 'POST', '/v1/customers', { test_clock: clock.id })
  for (let n = 0; n < 6; n++) await subscribe(at(), { ...scene, customer })
  for (const [round, delay] of [15, 40, 90, 160].entries()) {
    await expect.poll(() => standing(at(), clock.id)).toBe('ready')
    await api(at(), 'POST', `${CLOCKS}/${clock.id}/advance`, {
      frozen_time: JANUARY + (round + 1) * 31 * DAY,
    })
    const moving = control(at(), 'advance', { months: 1 }).catch(() => 'cut off')
    const paying = subscribe(at(), scene).catch(() => null)
    await new Promise((resolve) => setTimeout(resolve, delay))
    await kill(running.child)
    await Promise.all([moving, paying])
    expectWhole(join(dataDir, 'sandbox/stripe.sqlite'))
    running = await start(dataDir)
  }
  await control(at(), 'advance', { seconds: 1 })
  await expect.poll(() => standing(at(), clock.id)).toBe('ready')
  const renewed = await api<{ data: unknown[] }>(at(), 'GET', '/v1/invoices', { customer, limit: 100 })
  expect(renewed.data).toHaveLength(6 * 5)
  const paid = await api<{ data: { id: string }[]; has_more: boolean }>(at(), 'GET', '/v1/events', {
    type: 'invoice.paid',
    limit: 100,
  })
  expect(paid.data.length).toBeGreaterThanOrEqual(12)
  await expect
    .poll(() => paid.data.filter(({ id }) => !inbox.received.some(({ event }) => event.id === id)))
    .toEqual([])
  await kill(running.child)
  rmSync(dataDir, { recursive: true, force: true })
})

const dataRow = fields({ data: text })

/**
 * The objects of one call are all there or not at all: each paid invoice has its charge, transfer, fee and event, and of each
 * draft nothing is there yet but its place on the calendar.
 */
function expectWhole(path: string): void {
  const db = openDatabase(path)
  const all = <T>(type: string) =>
    db.all(dataRow, 'SELECT data FROM objects WHERE type = ?', type).map(({ data }) => JSON.parse(data) as T)
  type Invoice = { id: string; status: string; parent: { subscription_details: { subscription: string } } }
  const made = all<Invoice>('invoice')
  const drafts = made.filter(({ status }) => status === 'draft')
  const invoices = made.filter(({ status }) => status !== 'draft')
  const planned = db.all(fields({ id: text }), "SELECT id FROM due WHERE kind = 'finalize-invoice'")
  expect(planned.map(({ id }) => id).sort()).toEqual(drafts.map(({ id }) => id).sort())
  const subscriptions = new Set(all<{ id: string }>('subscription').map(({ id }) => id))
  const events = new Set(
    all<{ type: string; data: { object: { id: string } } }>('event')
      .filter(({ type }) => type === 'invoice.paid')
      .map(({ data }) => data.object.id),
  )
  for (const { id, status, parent } of invoices) {
    expect(status).toBe('paid')
    expect(events.has(id)).toBe(true)
    expect(subscriptions.has(parent.subscription_details.subscription)).toBe(true)
  }
  const counts = ['charge', 'transfer', 'application_fee', 'invoice_payment', 'payment_intent'].map(
    (type) => all(type).length,
  )
  expect(counts).toEqual(counts.map(() => invoices.length))
  const [ledger] = db.all(
    fields({ n: number, amount: number }),
    "SELECT sum(kind <> 'payout') AS n, sum(amount) AS amount FROM ledger",
  )
  expect([ledger?.n, ledger?.amount]).toEqual([invoices.length * 5, invoices.length * 1000])
  db.close()
}
