import { createHmac } from 'node:crypto'
import type { Stored } from '../model/stored.ts'
import { fields, nullable, number, type Of, text } from '../shape/shape.ts'
import { makeObjects, type Objects } from '../store/objects.ts'
import type { World } from '../world/world.ts'

/** Stripe waits hours between attempts; here the same growing gaps are compressed into about ten minutes. */
const RETRY_AFTER_MS = [1_000, 5_000, 30_000, 60_000, 120_000, 300_000]

const AT_ONCE = 8

const ANSWER_WITHIN_MS = 10_000

const LONGEST_SLEEP_MS = 60_000

const deliveryRow = fields({ id: number, event: text, endpoint: text, attempts: number, lose_next: number })

type Row = Of<typeof deliveryRow>

const nextRow = fields({ at: nullable(number) })

const idRow = fields({ id: number })

export type Courier = {
  /** Resolves when no delivery of this event (null: of any) is outstanding, or after `withinMs`; true: none is. */
  settled(event: string | null, withinMs: number): Promise<boolean>
  stop(): Promise<void>
}

/**
 * Sends owed deliveries until they are acknowledged, also those of an earlier process. Waits by the machine's own time, which no
 * test moves or stops; only the time in the signature is the sandbox clock's, since the receiver checks it by that clock.
 */
export function startCourier(world: World): Courier {
  const busy = new Set<number>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let woken = false

  function wake(): void {
    if (woken || stopping.signal.aborted) return
    woken = true
    setImmediate(() => {
      woken = false
      pump()
    })
  }

  function pump(): void {
    if (stopping.signal.aborted) return
    clearTimeout(timer)
    const now = Date.now()
    for (const row of dueRows(world, now, AT_ONCE + busy.size)) {
      if (busy.size >= AT_ONCE) break
      if (busy.has(row.id)) continue
      busy.add(row.id)
      const sending = attempt(world, row, stopping.signal).finally(() => {
        busy.delete(row.id)
        running.delete(sending)
        wake()
      })
      running.add(sending)
    }
    timer = setTimeout(wake, sleepFor(world, now))
    timer.unref()
  }

  world.committed.push(wake)
  wake()
  return {
    async settled(event, withinMs) {
      const until = Date.now() + withinMs
      while (outstanding(world, event) && Date.now() < until && !stopping.signal.aborted)
        await new Promise((resolve) => setTimeout(resolve, 25))
      return !outstanding(world, event)
    },
    async stop() {
      stopping.abort()
      clearTimeout(timer)
      await Promise.allSettled(running)
    },
  }
}

function dueRows(world: World, now: number, limit: number): Row[] {
  return world.db.all(
    deliveryRow,
    "SELECT id, event, endpoint, attempts, lose_next FROM deliveries WHERE state = 'waiting' AND next_at <= ? ORDER BY next_at, id LIMIT ?",
    now,
    limit,
  )
}

function sleepFor(world: World, now: number): number {
  const next = world.db.get(
    nextRow,
    "SELECT min(next_at) AS at FROM deliveries WHERE state = 'waiting' AND next_at > ?",
    now,
  )
  return Math.min(LONGEST_SLEEP_MS, Math.max(5, (next?.at ?? Number.POSITIVE_INFINITY) - now))
}

function outstanding(world: World, event: string | null): boolean {
  const [which, values] = event === null ? ['', []] : ['event = ? AND ', [event]]
  const sql = `SELECT id FROM deliveries WHERE ${which}state = 'waiting' LIMIT 1`
  return world.db.get(idRow, sql, ...values) !== undefined
}

async function attempt(world: World, row: Row, stopping: AbortSignal): Promise<void> {
  const outcome =
    row.lose_next === 1 ? { status: null, remark: 'lost on the way' } : await send(world, row, stopping)
  if (stopping.aborted) return
  const delivered = outcome.status !== null && outcome.status >= 200 && outcome.status < 300
  const attempts = row.attempts + 1
  const gap = RETRY_AFTER_MS[row.attempts] ?? RETRY_AFTER_MS.at(-1) ?? 0
  const state = delivered ? 'delivered' : attempts > 40 ? 'given-up' : 'waiting'
  world.db.run(
    'UPDATE deliveries SET state = ?, attempts = ?, next_at = ?, lose_next = 0, status = ?, remark = ? WHERE id = ?',
    state,
    attempts,
    Date.now() + (delivered ? 0 : gap),
    outcome.status,
    outcome.remark,
    row.id,
  )
}

async function send(
  world: World,
  row: Row,
  stopping: AbortSignal,
): Promise<{ status: number | null; remark: string | null }> {
  const objects = makeObjects(world.db)
  const event = objects.look(row.event)
  const target = targetOf(objects, row.endpoint)
  if (event === null || target === null) return { status: 200, remark: 'the endpoint is gone' }
  const { secret, url } = target
  const body = JSON.stringify(event.object === 'v2.core.event' ? notification(event) : event, null, 2)
  try {
    const answer = await fetch(url, {
      method: 'POST',
      body,
      redirect: 'manual',
      signal: AbortSignal.any([AbortSignal.timeout(ANSWER_WITHIN_MS), stopping]),
      headers: {
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Stripe/1.0 (+https://stripe.com/docs/webhooks)',
        'stripe-signature': signatureHeader(body, secret, world.clock.now()),
      },
    })
    await answer.body?.cancel()
    return { status: answer.status, remark: null }
  } catch (error) {
    return { status: null, remark: error instanceof Error ? error.message.slice(0, 200) : 'no answer' }
  }
}

/** Where an endpoint or a destination is, and what signs what goes there; null when it is gone. */
function targetOf(objects: Objects, id: string): { secret: string; url: string } | null {
  const endpoint = objects.find('webhook_endpoint', id)
  if (endpoint !== null) return { secret: objects.notes('webhook_endpoint', id).secret, url: endpoint.url }
  const destination = objects.find('v2.core.event_destination', id)
  if (destination === null) return null
  const { secret } = objects.notes('v2.core.event_destination', id)
  return { secret, url: destination.webhook_endpoint.url }
}

/** A thin event names only what changed where; its data is fetched by its id. */
function notification(event: Stored): Record<string, unknown> {
  const { data: _data, changes: _changes, ...rest } = event
  return rest
}

/**
 * The `Stripe-Signature` header (docs.stripe.com/webhooks/signature): HMAC-SHA-256 over the time and the body.
 * @param at the instant of sending
 */
function signatureHeader(body: string, secret: string, at: Date): string {
  const time = Math.floor(at.getTime() / 1000)
  const mark = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return `t=${time},v1=${mark}`
}
