import Stripe from 'stripe'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeClock } from '../../clock.ts'
import { fields, number, text } from '../shape/shape.ts'
import { control, suite } from './cases.ts'
import { newAccount, setScene, subscribe } from './scene.ts'
import { openInbox } from './world.ts'

const { both, here } = suite(
  (key, target) => new Stripe(key, target),
  { test, beforeAll, afterAll },
  // The SDK compares a signature's time with the machine's.
  makeClock(null),
)

both('an endpoint returns its secret once', async (stripe) => {
  const made = await stripe.webhookEndpoints
    .create({ url: 'https://localhost/hook', enabled_events: ['invoice.paid'], description: 'x' })
    .catch(() => null)
  if (made === null) return null
  expect(made.secret).toMatch(/^whsec_/)
  const read = await stripe.webhookEndpoints.retrieve(made.id)
  expect(read.secret).toBeUndefined()
  await stripe.webhookEndpoints.update(made.id, { disabled: true })
  expect((await stripe.webhookEndpoints.list()).data.some((one) => one.id === made.id)).toBe(true)
  expect(await stripe.webhookEndpoints.del(made.id)).toMatchObject({ deleted: true })
  return read
})

both('events are listed and read', async (stripe) => {
  await stripe.customers.create({})
  const { data } = await stripe.events.list({ type: 'customer.created', limit: 1 })
  expect(data[0]).toMatchObject({
    object: 'event',
    type: 'customer.created',
    api_version: Stripe.API_VERSION,
  })
  return stripe.events.retrieve(data[0]?.id ?? '')
})

both('events since a moment, of some types', async (stripe) => {
  const { id, created } = await stripe.customers.create({})
  await stripe.customers.update(id, { name: 'Later' })
  await stripe.products.create({ name: 'Another type' })
  const types = ['customer.created', 'customer.updated']
  const since = await stripe.events.list({ created: { gte: created }, types, limit: 100 })
  const mine = since.data.filter((one) => (one.data.object as { id: string }).id === id)
  expect(mine.map((one) => one.type)).toEqual(['customer.updated', 'customer.created'])
  expect(since.data.every((one) => types.includes(one.type) && one.created >= created)).toBe(true)
  expect((await stripe.events.list({ created: { gte: created + 3600 }, types })).data).toEqual([])
  await expect(stripe.events.list({ type: 'customer.created', types })).rejects.toMatchObject({
    statusCode: 400,
  })
  return mine[0]
})

here('only what was asked for is sent, signed so that the SDK takes it', async (stripe, world) => {
  await using inbox = await openInbox()
  const { secret } = await stripe.webhookEndpoints.create({
    url: inbox.url,
    enabled_events: ['customer.created', 'customer.updated'],
  })
  const { id } = await stripe.customers.create({ email: 'w@example.com' })
  await stripe.products.create({ name: 'unnotified' })
  await stripe.customers.update(id, { name: 'W' })
  const [first] = await inbox.wait(2)
  expect(inbox.types().sort()).toEqual(['customer.created', 'customer.updated'])
  const event = stripe.webhooks.constructEvent(first?.body ?? '', first?.signature ?? '', secret ?? '')
  expect(event.data.object).toMatchObject({ id })
  expect(() =>
    stripe.webhooks.constructEvent(`${first?.body} `, first?.signature ?? '', secret ?? ''),
  ).toThrow('signature')
  expect(() =>
    stripe.webhooks.constructEvent(first?.body ?? '', first?.signature ?? '', 'whsec_other'),
  ).toThrow('signature')
  const updated = inbox.received.find((one) => one.event.type === 'customer.updated')?.event
  expect(updated?.data).toMatchObject({ previous_attributes: { name: null } })
  await control(world, 'calm')
})

here('a thin event names what changed, and the SDK fetches the rest', async (stripe, world) => {
  await using inbox = await openInbox()
  const destination = await stripe.v2.core.eventDestinations.create({
    name: 'accounts',
    type: 'webhook_endpoint',
    event_payload: 'thin',
    events_from: ['@accounts'],
    enabled_events: ['v2.core.account[configuration.recipient].capability_status_updated'],
    webhook_endpoint: { url: inbox.url },
    include: ['webhook_endpoint.signing_secret', 'webhook_endpoint.url'],
  })
  const id = await newAccount(world, 'thin')
  await control(world, 'restore', { id })
  const [first] = await inbox.wait(1)
  const secret = destination.webhook_endpoint?.signing_secret ?? ''
  const notification = stripe.parseEventNotification(first?.body ?? '', first?.signature ?? '', secret)
  expect(notification.type).toBe('v2.core.account[configuration.recipient].capability_status_updated')
  if (!('related_object' in notification)) throw new Error('A thin event names its object.')
  expect(notification.related_object).toMatchObject({ id, type: 'v2.core.account' })
  const event = await stripe.v2.core.events.retrieve(notification.id)
  expect(event).toMatchObject({ data: { updated_capability: 'stripe_balance.stripe_transfers' } })
  expect((await stripe.v2.core.events.list({ object_id: id })).data.map((one) => one.type)).toContain(
    'v2.core.account.created',
  )
  expect(() => stripe.webhooks.constructEvent(first?.body ?? '', first?.signature ?? '', secret)).toThrow(
    'thin',
  )
  const walked: string[] = []
  const types = ['v2.core.account.created', 'v2.core.account[requirements].updated']
  await control(world, 'restrict', { id })
  for await (const one of stripe.v2.core.events.list({ object_id: id, types, limit: 1 }))
    walked.push(one.type)
  expect(walked).toEqual([types[1], types[1], types[0]])
  await inbox.wait(2)
  await stripe.v2.core.eventDestinations.ping(destination.id)
  await inbox.wait(3)
  expect(inbox.types()).toContain('v2.core.event_destination.ping')
  expect((await stripe.v2.core.eventDestinations.list()).data[0]).not.toHaveProperty('webhook_endpoint')
  expect((await stripe.v2.core.eventDestinations.disable(destination.id)).status).toBe('disabled')
  await control(world, 'restore', { id })
  expect((await stripe.v2.core.eventDestinations.enable(destination.id)).status).toBe('enabled')
  await control(world, 'restrict', { id })
  await inbox.wait(4)
  expect(inbox.received).toHaveLength(4)
  await stripe.v2.core.eventDestinations.del(destination.id)
})

here(
  'a destination gets the events of the accounts that it asked for, and of no others',
  async (stripe, world) => {
    await using inbox = await openInbox()
    const make = async (name: string, event_payload: 'thin' | 'snapshot', events_from?: string[]) => {
      const { id } = await stripe.v2.core.eventDestinations.create({
        name,
        type: 'webhook_endpoint',
        event_payload,
        enabled_events: event_payload === 'thin' ? ['v2.core.account.created'] : ['customer.created'],
        webhook_endpoint: { url: inbox.url },
        ...(events_from !== undefined && { events_from }),
      })
      return id
    }
    const made = {
      thinOwn: await make('own', 'thin', ['@self']),
      thinUnsent: await make('unsaid', 'thin'),
      thinAccounts: await make('accounts', 'thin', ['@accounts']),
      thinBoth: await make('both', 'thin', ['@self', '@accounts']),
      own: await make('own', 'snapshot', ['@self']),
      unsaid: await make('unsaid', 'snapshot'),
      accounts: await make('accounts', 'snapshot', ['@accounts']),
    }
    await newAccount(world, 'sources')
    await stripe.customers.create({})
    const owed = (endpoint: string) =>
      world.world.db.get(
        fields({ n: number }),
        'SELECT count(*) AS n FROM deliveries WHERE endpoint = ?',
        endpoint,
      )?.n
    expect(Object.fromEntries(Object.entries(made).map(([name, id]) => [name, owed(id)]))).toEqual({
      thinOwn: 0,
      thinUnsent: 0,
      thinAccounts: 1,
      thinBoth: 1,
      own: 1,
      unsaid: 1,
      accounts: 0,
    })
    await inbox.wait(4)
    for (const sources of [['@organization_members'], ['acct_1'], []])
      await expect(make('refused', 'thin', sources)).rejects.toMatchObject({
        message: expect.stringMatching(/events/),
      })
    for (const id of Object.values(made)) await stripe.v2.core.eventDestinations.del(id)
  },
)

here('an event that is not acknowledged is sent again until it is', async (stripe) => {
  await using inbox = await openInbox()
  inbox.answers.push(500)
  const endpoint = await stripe.webhookEndpoints.create({
    url: inbox.url,
    enabled_events: ['product.created'],
  })
  await stripe.products.create({ name: 'Again' })
  const received = await inbox.wait(2)
  expect(received[0]?.event.id).toBe(received[1]?.event.id)
  await stripe.webhookEndpoints.del(endpoint.id)
})

here('by hand: duplicate, reorder, drop, resend', async (stripe, world) => {
  await using inbox = await openInbox()
  const endpoint = await stripe.webhookEndpoints.create({
    url: inbox.url,
    enabled_events: ['product.created'],
  })
  const make = async (name: string) => (await stripe.products.create({ name })).id
  const ids = () => inbox.received.map(({ event }) => (event.data as { object: { id: string } }).object.id)
  await control(world, 'duplicate')
  const twice = await make('Twice')
  await inbox.wait(2)
  expect(ids()).toEqual([twice, twice])
  await control(world, 'reorder')
  const late = await make('Late')
  const early = await make('Early')
  await inbox.wait(4)
  expect(ids().slice(2)).toEqual([early, late])
  await control(world, 'drop')
  const lost = await make('Lost')
  await inbox.wait(5)
  expect(ids()[4]).toBe(lost)
  const row = world.world.db.get(
    fields({ id: number, attempts: number }),
    'SELECT id, attempts FROM deliveries ORDER BY id DESC LIMIT 1',
  )
  await expect
    .poll(() =>
      world.world.db.get(
        fields({ attempts: number, state: text }),
        'SELECT attempts, state FROM deliveries WHERE id = ?',
        row?.id ?? 0,
      ),
    )
    .toMatchObject({ attempts: 2, state: 'delivered' })
  await control(world, 'resend', { id: row?.id })
  await inbox.wait(6)
  expect(ids()[5]).toBe(lost)
  await stripe.webhookEndpoints.del(endpoint.id)
})

here('by a seed: everything still arrives at least once', async (stripe, world) => {
  await using inbox = await openInbox()
  await stripe.webhookEndpoints.create({ url: inbox.url, enabled_events: ['*'] })
  await control(world, 'chaos', { seed: 7, jitterMs: 200, duplicate: 0.3, reorder: 0.3, drop: 0.3 })
  const scene = await setScene(world, 'chaos')
  await subscribe(world, scene)
  const sent = new Set(
    (await stripe.events.list({ limit: 100 })).data
      .filter((one) => JSON.stringify(one).includes(scene.customer))
      .map((one) => one.id),
  )
  await expect
    .poll(() => [...sent].filter((id) => !inbox.received.some(({ event }) => event.id === id)))
    .toEqual([])
  expect(inbox.received.length).toBeGreaterThan(new Set(inbox.received.map(({ event }) => event.id)).size)
  const order = inbox.received.map(({ event }) => event.type)
  expect(order.indexOf('customer.subscription.created')).toBeGreaterThanOrEqual(0)
  await control(world, 'calm')
})

here('deliveries that were owed before a restart go on after it', async (stripe, world) => {
  await using inbox = await openInbox()
  await stripe.webhookEndpoints.create({ url: inbox.url, enabled_events: ['product.created'] })
  inbox.answers.push(503)
  await stripe.products.create({ name: 'Owed' })
  await inbox.wait(1)
  await world.restart()
  await inbox.wait(2)
  expect(inbox.received[0]?.event.id).toBe(inbox.received[1]?.event.id)
})

here('nothing is ever sent beyond this machine, nor in another version', async (stripe) => {
  await expect(
    stripe.webhookEndpoints.create({ url: 'https://example.com/hook', enabled_events: ['*'] }),
  ).rejects.toMatchObject({ param: 'url' })
  await expect(
    stripe.webhookEndpoints.create({
      url: 'http://localhost:9/hook',
      enabled_events: ['*'],
      api_version: '2024-06-20',
    }),
  ).rejects.toMatchObject({ param: 'api_version' })
})
