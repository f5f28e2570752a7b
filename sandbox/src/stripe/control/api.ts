import type { FastifyInstance } from 'fastify'
import { RETRY_ENDING } from '../billing/retries.ts'
import { statusOf } from '../connect/states.ts'
import { itemOf, LIVE } from '../model/billing.ts'
import { isPlainObject } from '../shape/plain-object.ts'
import { fields, nullable, number, text } from '../shape/shape.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { runAction } from './actions.ts'
import type { StripePart } from './stripe-part.ts'

/** So many of each kind are listed, the newest first. */
const MOST = 100

const countRow = fields({ n: number })

const waitingRow = fields({
  id: number,
  event: text,
  attempts: number,
  status: nullable(number),
  remark: nullable(text),
})

/** So long `settle` waits for the endpoints to acknowledge what they are owed. */
const SETTLE_MS = 20_000

type Action = { Params: { action: string } }

/** The control desk for tests: the same actions as JSON. A page elsewhere cannot send JSON here without asking first. */
export function serveControlApi(app: FastifyInstance, part: StripePart): void {
  app.get('/control/api/state', (_request, reply) => reply.send(transact(part.world, null, stateOf)))

  app.post<Action>('/control/api/:action', async (request, reply) => {
    if (!request.headers['content-type']?.startsWith('application/json'))
      return reply.code(415).send({ error: 'Send JSON.' })
    const given = readObject(String(request.body || '{}'))
    if (given === null) return reply.code(400).send({ error: 'The body is not a JSON object.' })
    const { settle, ...rest } = given
    const input = Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, String(value)]))
    const { ok, words } = await runAction(part, request.params.action, input)
    if (!ok) return reply.code(400).send({ error: words })
    if (settle !== true) return reply.send({ done: words })
    return reply.send({ done: words, settled: await part.courier.settled(null, SETTLE_MS) })
  })
}

function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isPlainObject(value) ? value : null
  } catch {
    return null
  }
}

/** The present content of this small world, for tests and journeys that have no id at hand. */
function stateOf(tx: Tx): Record<string, unknown> {
  const slice = { limit: MOST }
  const email = (customer: string) => tx.objects.find('customer', customer)?.email ?? null
  const subscriptions = tx.objects.list('subscription', {}, slice)
  const charges = tx.objects.list('charge', {}, slice)
  const accounts = tx.objects.list('v2.core.account', {}, slice)
  return {
    now: iso(tx.now),
    liveSubscriptions: tx.objects.count('subscription', { among: { status: LIVE } }),
    waitingDeliveries: countWaiting(tx),
    retryEnding: tx.settings.read(RETRY_ENDING),
    subscriptions: subscriptions.map((one) => ({
      id: one.id,
      status: one.status,
      customer: one.customer,
      email: email(one.customer),
      periodEnd: iso(itemOf(one).current_period_end),
      cancelAt: one.cancel_at === null ? null : iso(one.cancel_at),
      paused: one.pause_collection !== null,
      testClock: one.test_clock,
    })),
    charges: charges.map(({ id, status, amount, currency, customer, refunded, disputed }) => ({
      id,
      status,
      amount,
      currency,
      email: email(customer),
      refunded,
      disputed,
    })),
    accounts: accounts.map((one) => ({
      id: one.id,
      displayName: one.display_name ?? null,
      transfers: statusOf(one),
      closed: one.closed,
    })),
    deliveries: waiting(tx),
  }
}

function countWaiting(tx: Tx): number {
  return tx.db.get(countRow, "SELECT count(*) AS n FROM deliveries WHERE state = 'waiting'")?.n ?? 0
}

function waiting(tx: Tx): Record<string, unknown>[] {
  const rows = tx.db.all(
    waitingRow,
    "SELECT id, event, attempts, status, remark FROM deliveries WHERE state = 'waiting' ORDER BY id DESC LIMIT ?",
    MOST,
  )
  return rows.map((row) => ({ ...row, type: tx.objects.look(row.event)?.type ?? null }))
}

function iso(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}
