import type { CallOutcome, MailKind, MailOutcome, Provider, PushOutcome } from '../../src/platform/metrics.ts'
import { makeFinnhub } from '../../src/quotes/adapters/finnhub.ts'
import { sdkOf } from '../../src/stripe/sdk.ts'
import { makeStripe } from '../../src/stripe/stripe-client.ts'
import type { TestApp } from '../build-test-app.ts'
import { call, makeTrader, subscribe } from '../factories.ts'
import { addFollowers, makeCrowdTrader, publish } from '../followers.ts'
import type { DeliveryScenario } from '../mails/delivery-scenario.ts'
import type { SinkScript } from '../mails/sink-conversation.ts'
import type { StripeSandbox } from '../money/stripe-sandbox.ts'
import type { QuoteBehaviour, QuoteServer } from '../prices/quote-server.ts'
import type { PushScript, PushService } from '../pushes/push-service.ts'
import { authWire } from '../sign-in/auth-wire.ts'
import { signIn } from '../sign-in/sign-in.ts'

/** The app, and everybody whom it asks outside. */
export type Outside = {
  testApp: TestApp
  delivery: DeliveryScenario
  quotes: QuoteServer
  sandbox: StripeSandbox
  service: PushService
}

/** Makes an outcome come true, over the real wire. Mails and notifications are tried by the worker that runs beside. */
type Cause = (outside: Outside) => Promise<unknown>

let drawn = 0
/** A name that nobody has. */
function another(): string {
  drawn += 1
  return `cause${drawn}`
}

/** An event with one follower, at a mail server with these manners. */
const signal =
  (script: SinkScript): Cause =>
  async ({ delivery, testApp: { clock, db, pool } }) => {
    delivery.sink.script = script
    const crowd = await makeCrowdTrader(pool, another(), clock.now())
    await addFollowers(pool, crowd, 1, clock.now())
    await publish(db, crowd, { symbol: 'AAPL' }, clock.now())
  }

/** A sign-in mail, at a mail server with these manners. */
const single =
  (script: SinkScript): Cause =>
  async ({ delivery, testApp }) => {
    delivery.sink.script = script
    await authWire(testApp).otp(`${another()}@people.example`)
  }

/** As during an upgrade: the process that queued it is newer than the worker. */
const singleOfNewerVersion: Cause = async ({ testApp: { clock, pool } }) => {
  const now = clock.now()
  await pool.query(
    `insert into outbox (id, kind, lane, facts, created_at, due_at, expires_at)
     values (gen_random_uuid(), 'of_a_newer_version', 'other', '{}', $1, $1, $2)`,
    [now, new Date(now.getTime() + 60_000)],
  )
}

const NO_SUCH_MAILBOX: SinkScript = { recipient: () => '550 5.1.1 no such mailbox' }
const COME_BACK_LATER: SinkScript = { recipient: () => '451 4.7.1 come back later' }
const HANGS_UP: SinkScript = { message: () => 'vanish' }

export const MAIL_CAUSES: { [Kind in MailKind]: Record<MailOutcome<Kind>, Cause> } = {
  signal: {
    sent: signal({}),
    deferred: signal(COME_BACK_LATER),
    refused: signal(NO_SUCH_MAILBOX),
    lost: signal(HANGS_UP),
  },
  single: {
    sent: single({}),
    deferred: single(COME_BACK_LATER),
    refused: single(NO_SUCH_MAILBOX),
    lost: single(HANGS_UP),
    failed: singleOfNewerVersion,
  },
}

/** A trader's event, to somebody with one device at a push service with these manners. */
async function push({ service, testApp }: Outside, script: PushScript) {
  const [trader, fan] = [await makeTrader(testApp), await signIn(testApp)]
  const { body } = await call(testApp, fan, 'GET', '/v1/push')
  const browser = service.subscribe(String(body.publicKey))
  await call(testApp, fan, 'POST', '/v1/push/devices', browser.subscription)
  const subscription = await subscribe(testApp, fan, trader)
  service.script = (asked, nth) => (asked === browser.id ? script(asked, nth) : null)
  const crowd = { traderId: trader.userId, username: trader.username }
  await publish(testApp.db, crowd, { symbol: 'AAPL' }, testApp.clock.now())
  await service.until(() => service.asked.has(browser.id))
  return { fan, subscription }
}

const pushed =
  (script: PushScript): Cause =>
  (outside) =>
    push(outside, script)

/** Notifications of the trader are turned off while one waits for its next try. */
const pushedWithoutSuccess: Cause = async (outside) => {
  const { fan, subscription } = await push(outside, () => ({ status: 503 }))
  await call(outside.testApp, fan, 'POST', `/v1/subscriptions/${subscription}/push`, { enabled: false })
  await outside.delivery.advance(10_000)
}

const BEYOND_ITS_LIFE = { 'retry-after': '7200' }

export const PUSH_CAUSES: Record<PushOutcome, Cause> = {
  sent: pushed(() => null),
  gone: pushed(() => ({ status: 410 })),
  later: pushed(() => ({ status: 503 })),
  refused: pushed(() => ({ status: 413 })),
  'given up': pushed(() => ({ status: 429, headers: BEYOND_ITS_LIFE })),
  unneeded: pushedWithoutSuccess,
}

/** A quote that the provider treats like this, with so much patience. */
const quoted =
  (behaviour: QuoteBehaviour, patienceMs = 60_000): Cause =>
  ({ quotes, testApp: { clock } }) => {
    const symbol = another().toUpperCase()
    quotes.set(symbol, behaviour)
    const signal = AbortSignal.timeout(patienceMs)
    return makeFinnhub({ ...quotes.provider, clock })
      .quote(symbol, signal)
      .catch(() => undefined)
  }

/** A call to Stripe under such a fault, tried once, with so much patience. */
const charged =
  (fault: object | null, timeout = 60_000): Cause =>
  async ({ sandbox, testApp: { settings } }) => {
    if (fault) await sandbox.control('fault', { ...fault, path: '/v1/balance' })
    const once = { maxNetworkRetries: 0, timeout }
    await sdkOf({ stripe: makeStripe(settings, 'request') })
      .balance.retrieve({}, once)
      .catch(() => undefined)
  }

/** Beyond any patience of a test. */
const SILENT_MS = 2000
const IMPATIENT_MS = 50

export const CALL_CAUSES: Record<Provider, Record<CallOutcome, Cause>> = {
  market: {
    ok: quoted({ price: 10, at: new Date('2026-03-04T15:00:00.000Z') }),
    refused: quoted((response) => response.writeHead(429).end()),
    failed: quoted((response) => response.writeHead(500).end()),
    timeout: quoted(() => undefined, IMPATIENT_MS),
  },
  payments: {
    ok: charged(null),
    refused: charged({ kind: 'refuse', status: 404 }),
    failed: charged({ kind: 'error' }),
    timeout: charged({ kind: 'slow', ms: SILENT_MS }, IMPATIENT_MS),
  },
}
