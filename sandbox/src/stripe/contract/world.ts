import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import type { Clock } from '../../clock.ts'
import type { StripePart } from '../control/stripe-part.ts'
import { startStripe } from '../stripe.ts'

/** The parameters with which the SDK's constructor talks to the sandbox instead of Stripe. */
export type Target = {
  host: string
  port: number
  protocol: 'http'
  maxNetworkRetries: number
  telemetry: false
}

export type TestWorld = StripePart &
  AsyncDisposable & {
    url: string
    target: Target
    /** Ends the server and starts another on the same data, as a restart does. */
    restart(): Promise<void>
  }

/** A clock that a test moves by hand, so that nothing depends on when it runs. */
export type TestClock = Clock & { move(seconds: number): void }

export function makeTestClock(start = '2026-03-02T10:00:00Z'): TestClock {
  let at = new Date(start).getTime()
  return {
    now: () => new Date(at),
    move(seconds) {
      at += seconds * 1000
    },
  }
}

/** Stripe's part alone on a free port, every answer, event and request checked against the SDK's types. */
export async function openWorld(clock: Clock = { now: () => new Date() }): Promise<TestWorld> {
  const dataDir = mkdtempSync(join(tmpdir(), 'stripe-sandbox-'))
  let running = await serve(dataDir, clock)
  const world: TestWorld = {
    ...running.part,
    url: running.url,
    target: running.target,
    async restart() {
      await running.close()
      running = await serve(dataDir, clock)
      Object.assign(world, running.part, { url: running.url, target: running.target })
    },
    async [Symbol.asyncDispose]() {
      await running.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
  return world
}

async function serve(dataDir: string, clock: Clock) {
  const app = fastify({ forceCloseConnections: true })
  const part = await startStripe(app, { clock, host: '127.0.0.1', dataDir, strict: true, env: {} })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as AddressInfo
  const target: Target = { host: '127.0.0.1', port, protocol: 'http', maxNetworkRetries: 0, telemetry: false }
  return { part, target, url: `http://127.0.0.1:${port}`, close: () => app.close() }
}

export type Received = {
  body: string
  signature: string
  event: Record<string, unknown> & { id: string; type: string }
}

export type Inbox = AsyncDisposable & {
  url: string
  received: Received[]
  /** How the next requests are answered; afterwards 200 again. */
  answers: number[]
  /** Resolves once this many have come; fails after twenty seconds. */
  wait(count: number): Promise<Received[]>
  types(): string[]
}

/** A webhook endpoint that notes what it gets. */
export async function openInbox(): Promise<Inbox> {
  const received: Received[] = []
  const answers: number[] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const body = Buffer.concat(parts).toString()
      const signature = String(request.headers['stripe-signature'])
      received.push({ body, signature, event: JSON.parse(body) as Received['event'] })
      response.statusCode = answers.shift() ?? 200
      response.end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answers,
    async wait(count) {
      const until = Date.now() + 120_000
      while (received.length < count) {
        if (Date.now() > until) throw new Error(`${received.length} of ${count} webhooks came.`)
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      return received
    },
    types: () => received.map(({ event }) => event.type),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
