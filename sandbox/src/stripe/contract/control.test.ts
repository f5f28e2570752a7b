import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { open, press, words } from './browser.ts'
import { control, suite } from './cases.ts'
import { api, newAccount, setScene, subscribe } from './scene.ts'
import { openInbox, type TestWorld } from './world.ts'

const make = (key: string, target: object) => new Stripe(key, target)
const { here } = suite(make, { test, beforeAll, afterAll })

type State = {
  now: string
  waitingDeliveries: number
  liveSubscriptions: number
  subscriptions: { id: string; status: string; email: string | null; cancelAt: string | null }[]
  charges: { id: string; amount: number; refunded: boolean }[]
  accounts: { id: string; displayName: string; transfers: string; closed: boolean }[]
  deliveries: { type: string; attempts: number }[]
}

async function state(world: TestWorld): Promise<State> {
  return (await (await fetch(`${world.url}/control/api/state`)).json()) as State
}

async function post(world: TestWorld, action: string, body: unknown) {
  const answer = await fetch(`${world.url}/control/api/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  return { status: answer.status, body: await answer.json() }
}

here('the state lists what exists, so that a journey does not have to keep ids', async (_stripe, world) => {
  const scene = await setScene(world, 'reported')
  const { id } = await subscribe(world, scene)
  const reported = await state(world)
  expect(reported.subscriptions[0]).toMatchObject({
    id,
    status: 'active',
    email: 'reported-buyer@example.com',
  })
  expect(reported.charges[0]).toMatchObject({ amount: 1000, refunded: false })
  expect(reported.accounts[0]).toEqual({
    id: scene.account,
    displayName: '@reported',
    transfers: 'active',
    closed: false,
  })
  expect(reported.liveSubscriptions).toBeGreaterThanOrEqual(1)
  await control(world, 'refund', { id: reported.charges[0]?.id })
  expect((await state(world)).charges[0]?.refunded).toBe(true)
})

here('an action with `settle` answers when its webhooks are acknowledged', async (stripe, world) => {
  await using inbox = await openInbox()
  const { id: endpoint } = await stripe.webhookEndpoints.create({
    url: inbox.url,
    enabled_events: ['invoice.paid'],
  })
  await subscribe(world, await setScene(world, 'settle'))
  await inbox.wait(1)
  inbox.answers.push(500)
  const answer = await post(world, 'advance', { days: 32, settle: true })
  expect(answer.body).toMatchObject({ settled: true })
  expect(inbox.received.length).toBeGreaterThanOrEqual(3)
  expect((await state(world)).waitingDeliveries).toBe(0)
  await stripe.webhookEndpoints.del(endpoint)
})

here('the desk chooses what becomes of a subscription after its last try', async (_stripe, world) => {
  const chosen = async () => ((await state(world)) as State & { retryEnding: string }).retryEnding
  const choose = async (label: string) => press(await open(`${world.url}/control`), label)
  expect(await chosen()).toBe('cancel')
  await choose('Leave it past due')
  expect(await chosen()).toBe('past_due')
  await choose('Mark it unpaid')
  expect(await chosen()).toBe('unpaid')
  await choose('Cancel it')
  expect(await chosen()).toBe('cancel')
  const answer = await post(world, 'retry-ending', { ending: 'forget' })
  expect([answer.status, answer.body]).toEqual([400, { error: 'The endings are cancel, unpaid, past_due.' }])
})

here('it explains a refusal in words', async (_stripe, world) => {
  const refused = async (action: string, body: unknown = {}) => {
    const answer = await post(world, action, body)
    expect(answer.status).toBe(400)
    return String((answer.body as { error: string }).error)
  }
  expect(await refused('resend', { id: 999999 })).toBe('There is no delivery 999999.')
  expect(await refused('resend')).toContain('There is no delivery')
  expect(await refused('nonsense')).toContain('There is no action nonsense')
  expect(await refused('advance', { days: -1 })).toContain('Say days')
  expect(await refused('dispute', { id: 'ch_none' })).toContain('No such charge')
  expect(await refused('restrict', { id: 'acct_none' })).toContain('No such account')
  expect(await refused('fault', { kind: 'flood' })).toContain('Faults are')
  expect(await refused('fault', { kind: 'error', path: 'refunds' })).toContain('A path begins with')
  expect(await refused('advance', '[1]')).toContain('not a JSON object')
  expect(await refused('advance', '{')).toContain('not a JSON object')
  const { id } = await subscribe(world, await setScene(world, 'over'))
  await api(world, 'DELETE', `/v1/subscriptions/${id}`)
  expect(await refused('fail-next', { id })).toContain('has ended')
})

here('a fault strikes the call at which it is aimed, and no other', async (stripe, world) => {
  await control(world, 'fault', { kind: 'error', method: 'post', path: '/v1/customers' })
  await control(world, 'fault', { kind: 'rate-limit', path: '/v2/core/accounts' })
  await stripe.customers.list()
  const { id } = await stripe.products.create({ name: 'Untouched' })
  await expect(stripe.customers.create({})).rejects.toMatchObject({ statusCode: 500 })
  await expect(stripe.customers.create({})).resolves.toMatchObject({ object: 'customer' })
  await stripe.products.retrieve(id)
  await expect(stripe.v2.core.accounts.list()).rejects.toMatchObject({ statusCode: 429 })
  await expect(stripe.v2.core.accounts.list()).resolves.toMatchObject({ data: expect.any(Array) })
})

here('faults come one after the other, also at the newer API', async (stripe, world) => {
  const retrying = make('sk_test_1', { ...world.target, maxNetworkRetries: 2, timeout: 4000 })
  const id = await newAccount(world, 'faulty')
  for (const kind of ['error', 'lost-answer']) await control(world, 'fault', { kind, method: 'POST' })
  const changed = await retrying.v2.core.accounts.update(id, { display_name: '@mended' })
  expect(changed.display_name).toBe('@mended')
  await control(world, 'fault', { kind: 'slow', ms: 6000, path: '/v2/' })
  await control(world, 'fault', { kind: 'error', status: 503, path: '/v2/' })
  expect((await retrying.v2.core.accounts.retrieve(id)).display_name).toBe('@mended')
  await control(world, 'fault', { kind: 'lost-answer' })
  await expect(
    fetch(`${world.url}/v1/customers/cus_none`, { headers: { authorization: 'Bearer sk_test_1' } }),
  ).rejects.toThrow()
  for (let n = 0; n < 3; n++) await control(world, 'fault', { kind: 'error' })
  await expect(retrying.customers.list()).rejects.toMatchObject({ statusCode: 500 })
  await expect(stripe.customers.list()).resolves.toMatchObject({ object: 'list' })
})

here('a reset asks first, and leaves a sandbox as new', async (stripe, world) => {
  await using inbox = await openInbox()
  await stripe.webhookEndpoints.create({ url: inbox.url, enabled_events: ['*'] })
  await subscribe(world, await setScene(world, 'gone'))
  await control(world, 'advance', { months: 1 })
  await control(world, 'fault', { kind: 'error' })
  const question = await press(await open(`${world.url}/control`), 'Reset')
  expect(words(question)).toContain('This empties the payments sandbox')
  expect((await state(world)).liveSubscriptions).toBeGreaterThan(0)
  const done = await press(question, 'Empty everything')
  expect(words(done)).toContain('Everything is empty')
  const left = await state(world)
  expect(left).toMatchObject({
    subscriptions: [],
    charges: [],
    accounts: [],
    deliveries: [],
    liveSubscriptions: 0,
  })
  expect(new Date(left.now).toISOString()).toBe('2026-03-02T10:00:00.000Z')
  expect((await stripe.customers.list()).data).toEqual([])
  expect((await stripe.webhookEndpoints.list()).data).toEqual([])
  await subscribe(world, await setScene(world, 'anew'))
  expect((await post(world, 'reset', {})).status).toBe(200)
  expect((await state(world)).liveSubscriptions).toBe(0)
})

here(
  'a fault refuses with the status that was asked for, as often as the test asks',
  async (stripe, world) => {
    const refuse = { kind: 'refuse', method: 'GET', path: '/v1/customers', times: 2 }
    expect((await post(world, 'fault', { ...refuse, status: 418 })).status).toBe(400)
    for (const status of [400, 402, 403, 404]) {
      expect((await post(world, 'fault', { ...refuse, status })).status).toBe(200)
      for (let time = 0; time < 2; time += 1)
        await expect(stripe.customers.list()).rejects.toMatchObject({ statusCode: status })
      expect(await stripe.customers.list()).toMatchObject({ object: 'list' })
    }
  },
)

here('the desk shows all payments, so many on a page', async (stripe, world) => {
  const scene = await setScene(world, 'many')
  for (let n = 0; n < 21; n++) await subscribe(world, scene)
  const all = (await stripe.charges.list({ limit: 100 })).data.map(({ id }) => id)
  const shown = (html: string) => [...html.matchAll(/<h3 id="(ch_[^"]*)"/g)].map(([, id]) => id)
  const first = await open(`${world.url}/control`)
  expect(shown(first.html)).toEqual(all.slice(0, 20))
  expect(first.html).not.toContain('Newest payments')
  const older = /href="([^"#]*)[^"]*">Older payments/.exec(first.html)?.[1] ?? ''
  const second = await open(new URL(older, world.url).href)
  expect(shown(second.html)).toEqual(all.slice(20, 40))
  expect(second.html).toContain('href="/control#payments">Newest payments')
})

here('the desk has the bank ask about a payment', async (stripe, world) => {
  const scene = await setScene(world, 'asked')
  await subscribe(world, scene)
  const [charge] = (await stripe.charges.list({ customer: scene.customer })).data
  const done = await press(await open(`${world.url}/control`), 'Inquire', {}, charge?.id)
  expect(words(done)).toContain('The bank asks about the payment, and takes nothing.')
  expect((await stripe.disputes.list({ charge: charge?.id ?? '' })).data[0]?.status).toBe(
    'warning_needs_response',
  )
})

here('the desk makes the platform’s tax settings pending with a button', async (stripe, world) => {
  const page = await press(await open(`${world.url}/control`), 'Make them pending')
  expect((await stripe.tax.settings.retrieve()).status).toBe('pending')
  expect(words(await press(page, 'Make them active'))).toContain('The platform’s are active')
  expect((await stripe.tax.settings.retrieve()).status).toBe('active')
})
