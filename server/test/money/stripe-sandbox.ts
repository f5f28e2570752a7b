import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fastify from 'fastify'
import { startStripe } from '../../../sandbox/src/stripe/stripe.ts'
import type { Clock } from '../../src/platform/clock.ts'
import { testSettings } from '../build-test-app.ts'

/** The sandbox's Stripe alone, over its real wire, on a clock that it shares with the app under test. */
export type StripeSandbox = AsyncDisposable & {
  url: string
  /** Presses a button of the control desk (sandbox/README.md lists them). @throws with the desk's words when it refuses */
  control(action: string, input?: object): Promise<void>
  /** The desk's answer about the whole sandbox. */
  state(): Promise<Record<string, unknown>>
}

/** @param clock the app's own */
export async function startStripeSandbox(clock: Clock): Promise<StripeSandbox> {
  const dataDir = mkdtempSync(join(tmpdir(), 'tradepost-stripe-'))
  const app = fastify({ forceCloseConnections: true })
  const { webhookSecrets, accountsWebhookSecrets } = testSettings().stripe
  await startStripe(app, {
    clock,
    host: '127.0.0.1',
    dataDir,
    strict: true,
    env: {},
    secrets: { snapshot: webhookSecrets[0] ?? null, thin: accountsWebhookSecrets[0] ?? null },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    url,
    async control(action, input = {}) {
      const answer = await fetch(`${url}/control/api/${action}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(input),
      })
      if (!answer.ok) throw new Error(`${action}: ${await answer.text()}`)
    },
    async state() {
      return (await (await fetch(`${url}/control/api/state`)).json()) as Record<string, unknown>
    },
    async [Symbol.asyncDispose]() {
      await app.close()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}
