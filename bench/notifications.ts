import { createECDH, randomBytes, randomUUID } from 'node:crypto'
import { Agent, createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { publish } from '../server/test/followers.ts'
import { addDevices } from '../server/test/pushes/push-crowd.ts'
import { inScenario, type Scenario } from './faults/delivery-scenario.ts'
import { type Contender, compare } from './ratio.ts'

const DEVICES = 1000
const ROUNDS = 5
/** As many as a worker has under way for a trader. */
const AT_ONCE = 64
/** Of a sealed message. */
const BODY = randomBytes(4096)

/**
 * Notifications of one event to 1,000 devices that took their last one, from the commit to the last request at a push service that
 * answers at once, and after 100 ms. The worker and PostgreSQL are separate processes as in production. The ceiling sends the same number
 * of bytes with as many requests under way, without a database, encryption or signature.
 */
export async function benchNotifications(): Promise<void> {
  for (const answersAfterMs of [0, 100]) {
    await inScenario((scenario) => measure(scenario, answersAfterMs), { followers: DEVICES })
  }
}

async function measure(scenario: Scenario, answersAfterMs: number): Promise<void> {
  const { database, trader } = scenario
  await using service = await startCountingService(answersAfterMs)
  await addDevices(database, trader, service, new Date())
  await database.pool.query('update subscriptions set mail_muted_at = now()')
  // As after a first message that was taken: a new device gets few at once (ADR 0085).
  await database.pool.query('update push_devices set standing = 0')
  // The first start registers the reader: from then on events wait for it.
  await (await scenario.startWorker()).stop()
  await scenario.startWorker({ systemClock: true })
  let opened = 0
  const ours: Contender = {
    name: 'Tradepost, one worker',
    async run() {
      opened += 1
      const due = service.taken() + DEVICES
      const { committedAt } = await publish(database.db, trader, { symbol: `N${opened}` }, new Date())
      await service.until(due)
      const rate = (DEVICES / (performance.now() - committedAt)) * 1000
      // The last ones are recorded.
      while ((await scenario.ask('select count(*) from push_deliveries where ended_at is null')) > 0)
        await pause(20)
      return rate
    },
  }
  await ours.run()
  const title = `${DEVICES} notifications of one event, answered after ${answersAfterMs} ms`
  await compare(title, 'notifications/s', ours, [bare(service)], ROUNDS)
}

type CountingService = AsyncDisposable & {
  origin: string
  subscribe: Parameters<typeof addDevices>[2]['subscribe']
  taken(): number
  until(taken: number): Promise<void>
}

async function startCountingService(answersAfterMs: number): Promise<CountingService> {
  let taken = 0
  let waiting: { for: number; resolve: () => void } | null = null
  const server = createServer((message, response) => {
    message.resume().once('end', () => {
      const answer = () => response.writeHead(201).end()
      if (answersAfterMs === 0) answer()
      else setTimeout(answer, answersAfterMs)
      taken += 1
      if (waiting && taken >= waiting.for) waiting.resolve()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    origin,
    subscribe(publicKey) {
      const id = randomUUID()
      const keys = {
        p256dh: createECDH('prime256v1').generateKeys('base64url'),
        auth: randomBytes(16).toString('base64url'),
      }
      return { id, subscription: { endpoint: `${origin}/send/${id}`, keys, publicKey } }
    },
    taken: () => taken,
    until(count) {
      if (taken >= count) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting = { for: count, resolve }
      return promise
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
    },
  }
}

function bare(service: CountingService): Contender {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE })
  const post = () => {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const sent = request(service.origin, { agent, method: 'POST' }, (answer) =>
      answer.resume().once('end', resolve),
    )
    sent.on('error', reject).end(BODY)
    return promise
  }
  return {
    name: 'bare requests',
    async run() {
      const started = performance.now()
      await Promise.all(Array.from({ length: DEVICES }, post))
      return (DEVICES / (performance.now() - started)) * 1000
    },
  }
}
