import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { pino } from 'pino'
import type Stripe from 'stripe'
import { afterEach, expect, test, vi } from 'vitest'
import { testDataDir } from '../../../test/database/data-dir.ts'
import { readTables } from '../../../test/factories.ts'
import {
  FAULTS,
  type PaymentsScenario,
  startPaymentsScenario,
} from '../../../test/money/payments-scenario.ts'
import { nodeEnvironment } from '../../../test/processes/node-environment.ts'
import { ACCOUNT_EVENTS, PLATFORM_EVENTS } from '../../stripe/webhook-events.ts'
import { prepareStripe } from './prepare-stripe.ts'
import { setUpStripe } from './set-up-stripe.ts'
import { ForeignStripeAccount } from './verify-stripe-account.ts'

const scenario = await startPaymentsScenario()
const other = await startPaymentsScenario()
const fresh = await startPaymentsScenario()
const late = await startPaymentsScenario()
const silent = await startPaymentsScenario()
const { clock, db, sandbox, url } = scenario
const ORIGIN = 'http://127.0.0.1:4999'
const NO_NEWS = { platform: null, accounts: null }

afterEach(() => {
  vi.useRealTimers()
})

const setUp = ({ deps } = scenario, origin: string | null = ORIGIN) => setUpStripe(deps, origin, clock.now())

async function atStripe({ stripe }: Pick<PaymentsScenario, 'stripe'> = scenario) {
  const endpoints = await stripe.webhookEndpoints.list()
  const destinations = await stripe.v2.core.eventDestinations.list({ include: ['webhook_endpoint.url'] })
  const portals = await stripe.billingPortal.configurations.list()
  return { endpoints: endpoints.data, destinations: destinations.data, portals: portals.data }
}

test('after the set-up Stripe sends the platform its events and the accounts theirs, and the portal exists', async () => {
  expect(await setUp()).toEqual({ platform: 'whsec_of_the_tests', accounts: 'whsec_of_the_tests_too' })
  const { endpoints, destinations, portals } = await atStripe()
  expect(endpoints).toMatchObject([
    {
      url: `${ORIGIN}/webhooks/stripe`,
      status: 'enabled',
      enabled_events: PLATFORM_EVENTS,
      api_version: '2026-10-28.endive',
    },
  ])
  expect(destinations).toMatchObject([
    {
      webhook_endpoint: { url: `${ORIGIN}/webhooks/stripe/accounts` },
      event_payload: 'thin',
      status: 'enabled',
      enabled_events: ACCOUNT_EVENTS,
    },
  ])
  expect(portals).toMatchObject([
    { features: { subscription_cancel: { enabled: true, mode: 'at_period_end' } } },
  ])
  expect(await db.selectFrom('stripe_platform').selectAll().execute()).toMatchObject([
    { account_id: 'acct_1SandboxPlatform0', livemode: false, portal_configuration_id: portals[0]?.id },
  ])
})

test('a second set-up changes nothing and prints no secret', async () => {
  await setUp()
  const [before, tables] = [await atStripe(), await readTables(scenario)]
  expect(await setUp()).toEqual(NO_NEWS)
  const after = await atStripe()
  expect(after.endpoints).toEqual(before.endpoints)
  expect(after.destinations.map(({ id }) => id)).toEqual(before.destinations.map(({ id }) => id))
  expect(after.portals.map(({ id }) => id)).toEqual(before.portals.map(({ id }) => id))
  expect(await readTables(scenario)).toEqual(tables)
})

test('another address or other events are brought to the endpoints that are there, with their secrets', async () => {
  await setUp()
  const { endpoints, destinations } = await atStripe()
  const [endpoint, destination] = [endpoints[0]?.id ?? '', destinations[0]?.id ?? '']
  await scenario.stripe.webhookEndpoints.update(endpoint, {
    enabled_events: ['invoice.paid'],
    disabled: true,
  })
  await scenario.stripe.v2.core.eventDestinations.update(destination, {
    enabled_events: ['v2.core.account.closed'],
  })
  expect(await setUp(scenario, 'http://127.0.0.1:5001')).toEqual(NO_NEWS)
  const after = await atStripe()
  expect(after.endpoints).toMatchObject([
    {
      id: endpoint,
      url: 'http://127.0.0.1:5001/webhooks/stripe',
      status: 'enabled',
      enabled_events: PLATFORM_EVENTS,
    },
  ])
  expect(after.destinations).toMatchObject([
    {
      id: destination,
      webhook_endpoint: { url: 'http://127.0.0.1:5001/webhooks/stripe/accounts' },
      enabled_events: ACCOUNT_EVENTS,
    },
  ])
})

test('the platform gets no events of connected accounts in the words of the first version, also by an endpoint that had asked for them', async () => {
  await setUp()
  const [made] = (await atStripe()).endpoints
  const dropped = ['account.updated', 'account.application.deauthorized']
  const asked = [...(made?.enabled_events ?? []), ...dropped]
  const enabled_events = asked as Stripe.WebhookEndpointUpdateParams.EnabledEvent[]
  const before = await scenario.stripe.webhookEndpoints.update(made?.id ?? '', { enabled_events })
  expect(before.enabled_events).toEqual(expect.arrayContaining(dropped))
  expect(await setUp()).toEqual(NO_NEWS)
  const { destinations, endpoints } = await atStripe()
  expect(endpoints.map(({ id }) => id)).toEqual([made?.id])
  for (const type of dropped) expect(endpoints[0]?.enabled_events).not.toContain(type)
  expect(endpoints[0]?.enabled_events.filter((type) => type.startsWith('account.'))).toEqual([])
  expect(endpoints[0]?.enabled_events).toEqual(made?.enabled_events)
  // Events of accounts go to the other endpoint, and by the types of the second version alone.
  expect(destinations[0]?.enabled_events.filter((type) => !type.startsWith('v2.core.account'))).toEqual([])
})

test('endpoints of ours that are too many go, and others stay', async () => {
  await setUp()
  const [kept] = (await atStripe()).endpoints
  const { stripe } = scenario
  const elsewhere = await stripe.webhookEndpoints.create({
    url: 'http://localhost:7000/webhooks/stripe',
    enabled_events: ['invoice.paid'],
    metadata: { app: 'tradepost', env: 'another' },
  })
  // By hand, to our address, with what that version of the API would have sent.
  await stripe.webhookEndpoints.create({
    url: `${ORIGIN}/webhooks/stripe`,
    enabled_events: ['invoice.paid'],
  })
  expect(await setUp()).toEqual(NO_NEWS)
  const { endpoints } = await atStripe()
  expect(endpoints.map(({ id }) => id).toSorted()).toEqual([elsewhere.id, kept?.id].toSorted())
  await stripe.webhookEndpoints.del(elsewhere.id)
})

test('a Stripe that cannot reach us gets a portal and keeps its webhooks', async () => {
  await setUp()
  const before = await atStripe()
  expect(await setUp(scenario, null)).toEqual(NO_NEWS)
  expect((await atStripe()).endpoints).toEqual(before.endpoints)
})

test.each(FAULTS)('when Stripe %s during the set-up, the next one completes it', async (_, faults) => {
  for (const path of ['/v1/account', '/v1/billing_portal', '/v1/webhook_endpoints', '/v2/core/event_dest']) {
    for (const fault of faults) await sandbox.control('fault', { ...fault, path })
    await expect(setUp()).rejects.toThrow()
    await setUp()
    const { endpoints, destinations, portals } = await atStripe()
    expect([endpoints.length, destinations.length, portals.length]).toEqual([1, 1, 1])
  }
})

test('a key of another account, or of another mode, does not go with this database', async () => {
  await other.db
    .insertInto('stripe_platform')
    .values({ account_id: 'acct_another', livemode: false, created_at: clock.now() })
    .execute()
  const before = await readTables(other)
  await expect(setUp(other)).rejects.toThrow(ForeignStripeAccount)
  await expect(prepareStripe(other.deps, null, clock.now())).rejects.toThrow(
    /acct_another \(test mode\).*acct_1SandboxPlatform0 \(test mode\)/,
  )
  expect(await readTables(other)).toEqual(before)
  expect((await atStripe(other)).endpoints).toEqual([])

  await other.db.updateTable('stripe_platform').set({ livemode: true }).execute()
  await expect(prepareStripe(other.deps, null, clock.now())).rejects.toThrow(/live mode/)
})

test('a start logs what the set-up lacks, and goes on', async () => {
  const logged: { path?: string; fault?: string; msg: string }[] = []
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) })
  const deps = { ...fresh.deps, log, settings: { ...fresh.settings, origin: ORIGIN } }
  const start = async () => {
    logged.length = 0
    await prepareStripe(deps, null, clock.now())
    return logged.map(({ msg, path, fault }) => fault ?? msg + (path ?? ''))
  }
  expect(await start()).toEqual(['Stripe is not set up for this database: run `npm run stripe:setup`'])
  await setUpStripe(deps, null, clock.now())
  expect(await start()).toEqual(['absent', 'absent'])
  await setUpStripe(deps, ORIGIN, clock.now())
  expect(await start()).toEqual([])
  const [endpoint] = (await atStripe(fresh)).endpoints
  await fresh.stripe.webhookEndpoints.update(endpoint?.id ?? '', { enabled_events: ['invoice.paid'] })
  expect(await start()).toEqual(['lacks events'])
  await fresh.spoil(FAULTS[1][1], 'GET', '/v1/account')
  expect(await start()).toEqual(['payments were not looked at: Stripe did not do what it was asked'])
})

test('a start with the sandbox sets it up automatically', async () => {
  await prepareStripe(silent.deps, ORIGIN, clock.now())
  expect((await atStripe(silent)).endpoints).toHaveLength(1)
})

test('a start with the sandbox asks until it is set up, however often it gets no answer', async () => {
  await late.spoil(Array(7).fill({ kind: 'error' }), 'GET', '/v1/account')
  await prepareStripe(late.deps, ORIGIN, clock.now())
  expect((await atStripe(late)).endpoints).toHaveLength(1)
})

test('a start waits five seconds for a Stripe that does not answer', async () => {
  await silent.sandbox.control('fault', { kind: 'slow', ms: 60_000 })
  const asked = Promise.withResolvers<void>()
  silent.stripe.on('request', () => asked.resolve())
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const preparing = prepareStripe(silent.deps, null, clock.now())
  await asked.promise
  await vi.advanceTimersByTimeAsync(5000)
  await preparing
})

/** Runs a command of the product with the variables of a production. */
async function run(file: string, changes: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(import.meta.dirname, '../..', file)], {
    cwd: '/tmp',
    env: {
      ...nodeEnvironment,
      NODE_ENV: 'production',
      DATABASE_URL: url,
      DATA_DIR: join(testDataDir, 'stripe-setup'),
      SMTP_URL: 'smtp://127.0.0.1:9',
      MAIL_FROM: 'a@b.example',
      APP_URL: 'https://shop.localhost',
      AUTH_SECRET: 'a secret of the tests and of nobody else',
      QUOTES_API_BASE: 'http://127.0.0.1:9',
      QUOTES_API_KEY: 'key',
      STRIPE_SECRET_KEY: 'sk_test_production',
      STRIPE_API_BASE: sandbox.url,
      ...changes,
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve))
  return { code, output }
}

test('npm run stripe:setup needs no webhook secrets yet and prints them once', async () => {
  const { stripe } = scenario
  for (const { id } of (await atStripe()).endpoints) await stripe.webhookEndpoints.del(id)
  for (const { id } of (await atStripe()).destinations) await stripe.v2.core.eventDestinations.del(id)
  const first = await run('stripe-setup.ts')
  expect(first).toMatchObject({ code: 0 })
  expect(first.output).toMatch(/^STRIPE_WEBHOOK_SECRET=whsec_of_the_tests$/m)
  expect(first.output).toMatch(/^STRIPE_ACCOUNTS_WEBHOOK_SECRET=whsec_of_the_tests_too$/m)
  const again = await run('stripe-setup.ts')
  expect(again).toMatchObject({ code: 0 })
  expect(again.output).not.toContain('whsec')
  expect((await atStripe()).endpoints).toMatchObject([{ url: 'https://shop.localhost/webhooks/stripe' }])
})

test('npm run stripe:setup without a database to use asks to start the product', async () => {
  const { code, output } = await run('stripe-setup.ts', { NODE_ENV: 'development', DATABASE_URL: '' })
  expect(code).toBe(1)
  expect(output).toBe('There is no running database: start the product (npm start), or set DATABASE_URL.\n')
})

test('the product does not start with a key of another account than its database', async () => {
  await db.updateTable('stripe_platform').set({ account_id: 'acct_another' }).execute()
  const secrets = {
    STRIPE_WEBHOOK_SECRET: 'whsec_of_the_tests',
    STRIPE_ACCOUNTS_WEBHOOK_SECRET: 'whsec_of_the_tests',
  }
  for (const file of ['stripe-setup.ts', 'main.ts']) {
    const { code, output } = await run(file, secrets)
    expect(code).toBe(1)
    expect(output).toContain('This database holds payments of the Stripe account acct_another (test mode)')
  }
})
