import { afterAll, expect, test } from 'vitest'
import { buildTestApp, testSettings } from '../../../test/build-test-app.ts'
import { call, makeTrader, subscribe } from '../../../test/factories.ts'
import { startPushService } from '../../../test/pushes/push-service.ts'
import { insertSession, type SignedIn, signIn, tokenOf } from '../../../test/sign-in/sign-in.ts'
import { newId } from '../../platform/ids.ts'
import { makePushWire } from '../send/post-message.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const service = await startPushService()
afterAll(async () => {
  await service.close()
  await testApp.close()
})

type Push = {
  publicKey: string
  devices: { id: string; current: boolean; device: string; failingSince: string | null }[]
  traders: { id: string; username: string; pushEnabled: boolean }[]
}

const read = async (person: SignedIn, app = testApp) =>
  (await call(app, person, 'GET', '/v1/push')).body as unknown as Push
const turnOn = (person: SignedIn, subscription: object) =>
  call(testApp, person, 'POST', '/v1/push/devices', subscription)
const subscribed = async (person: SignedIn) => service.subscribe((await read(person)).publicKey)
/** A call of a service worker: of nobody. */
const ask = async (path: string, payload: object) => {
  const { statusCode, body } = await testApp.app.inject({ method: 'POST', url: path, payload })
  return { status: statusCode, body: JSON.parse(body) as { code?: string } }
}

/** The same person in another browser. */
async function elsewhere(person: SignedIn): Promise<SignedIn> {
  const now = testApp.clock.now()
  const sessionId = newId()
  const times = { created_at: now, refreshed_at: now }
  await insertSession(testApp.db, { id: sessionId, user_id: person.userId, aal: 'aal1', amr: '[]', ...times })
  const there = { ...person, sessionId }
  return { ...there, token: await tokenOf(testApp, there) }
}

test('turning on twice is one device, and another address in the same session takes the place of the first', async () => {
  const person = await signIn(testApp)
  const first = await subscribed(person)
  const { status, body } = await turnOn(person, first.subscription)
  expect(status).toBe(201)
  expect(await turnOn(person, first.subscription)).toEqual({ status: 201, body })
  const second = await turnOn(person, (await subscribed(person)).subscription)
  expect(second.body.token).not.toBe(body.token)
  const { devices } = await read(person)
  expect(devices).toEqual([
    {
      id: second.body.id,
      current: true,
      device: 'Another program',
      since: expect.any(String),
      failingSince: null,
    },
  ])
})

test('devices are listed with that of the session first, and removed one by one by their owner alone', async () => {
  const person = await signIn(testApp)
  const there = await elsewhere(person)
  const here = await turnOn(person, (await subscribed(person)).subscription)
  const other = await turnOn(there, (await subscribed(there)).subscription)
  const currents = (await read(there)).devices.map(({ id, current }) => [id, current])
  expect(currents).toEqual([
    [other.body.id, true],
    [here.body.id, false],
  ])
  const path = `/v1/push/devices/${here.body.id}/remove`
  expect((await call(testApp, await signIn(testApp), 'POST', path)).status).toBe(200)
  expect((await read(person)).devices).toHaveLength(2)
  expect(await call(testApp, there, 'POST', path)).toEqual({ status: 200, body: { ok: true } })
  expect(await call(testApp, there, 'POST', path)).toEqual({ status: 200, body: { ok: true } })
  expect((await read(person)).devices.map(({ id }) => id)).toEqual([other.body.id])
})

test('a browser belongs to the last who turned notifications on there, and the token of the one before is worth nothing', async () => {
  const [before, after] = [await signIn(testApp), await signIn(testApp)]
  const { subscription } = await subscribed(before)
  const old = await turnOn(before, subscription)
  await turnOn(after, subscription)
  expect((await read(before)).devices).toEqual([])
  expect((await read(after)).devices).toHaveLength(1)
  expect((await ask('/push/off', { token: old.body.token })).status).toBe(200)
  expect((await read(after)).devices).toHaveLength(1)
})

test('of several who turn on in one browser at once one has it', async () => {
  const people = await Promise.all(Array.from({ length: 8 }, () => signIn(testApp)))
  const [first] = people
  const { subscription } = await subscribed(first as SignedIn)
  const answers = await Promise.all(people.map((person) => turnOn(person, subscription)))
  expect(answers.map(({ status }) => status)).toEqual(people.map(() => 201))
  const devices = await Promise.all(people.map(async (person) => (await read(person)).devices.length))
  expect(devices.reduce((sum, count) => sum + count)).toBe(1)
})

test('a person has ten devices at most, however many are turned on at once', async () => {
  const person = await signIn(testApp)
  const browsers = []
  for (let index = 0; index < 12; index += 1) {
    const there = await elsewhere(person)
    browsers.push({ there, subscription: (await subscribed(there)).subscription })
  }
  const answers = await Promise.all(browsers.map(({ subscription, there }) => turnOn(there, subscription)))
  const refused = answers.filter(({ body }) => body.code === 'too_many_devices')
  expect(refused).toHaveLength(2)
  expect((await read(person)).devices).toHaveLength(10)
})

test('the token of a device turns that device off without a sign-in, as often as it likes, and no other', async () => {
  const person = await signIn(testApp)
  const there = await elsewhere(person)
  const { body } = await turnOn(person, (await subscribed(person)).subscription)
  await turnOn(there, (await subscribed(there)).subscription)
  for (const token of [body.token, body.token, 'x'.repeat(43)])
    expect(await ask('/push/off', { token: token as string })).toEqual({ status: 200, body: { ok: true } })
  expect((await read(person)).devices).toHaveLength(1)
  expect(await ask('/push/off', { token: 'short' })).toMatchObject({
    status: 400,
    body: { code: 'bad_request' },
  })
  const { rows } = await testApp.pool.query('select token_hash from push_devices')
  expect(JSON.stringify(rows)).not.toContain(body.token)
  expect((await testApp.app.inject({ url: '/push/off' })).statusCode).toBe(405)
})

test('a browser that made another subscription by itself keeps its device', async () => {
  const person = await signIn(testApp)
  const { body } = await turnOn(person, (await subscribed(person)).subscription)
  const renewed = (await subscribed(person)).subscription
  const renewal = { token: body.token, subscription: renewed }
  expect((await ask('/push/renew', renewal)).status).toBe(200)
  expect((await ask('/push/renew', renewal)).status).toBe(200)
  expect((await read(person)).devices.map(({ id }) => id)).toEqual([body.id])
  const { rows } = await testApp.pool.query('select endpoint from push_devices where id = $1', [body.id])
  expect(rows).toEqual([{ endpoint: renewed.endpoint }])
  const stranger = { ...renewal, token: 'x'.repeat(43) }
  expect((await ask('/push/renew', stranger)).status).toBe(200)
  const private_ = { ...renewal, subscription: { ...renewed, endpoint: 'https://10.0.0.1/x' } }
  expect((await ask('/push/renew', private_)).body.code).toBe('push_subscription_invalid')
})

test('no address of another network, no key that is none, and no key of another product is taken', async () => {
  const person = await signIn(testApp)
  const { subscription } = await subscribed(person)
  const notOnCurve = Buffer.alloc(65, 7)
  notOnCurve[0] = 4
  const cases = [
    { ...subscription, endpoint: 'http://169.254.169.254/latest' },
    { ...subscription, endpoint: 'https://localhost/x' },
    { ...subscription, endpoint: 'https://10.0.0.1/x' },
    { ...subscription, keys: { ...subscription.keys, p256dh: notOnCurve.toString('base64url') } },
    { ...subscription, publicKey: service.subscribe('x').subscription.keys.p256dh },
  ]
  for (const one of cases) {
    expect(await turnOn(person, one)).toMatchObject({
      status: 422,
      body: { code: 'push_subscription_invalid' },
    })
  }
  for (const one of [{}, { ...subscription, keys: { p256dh: 'x', auth: 'y' } }])
    expect((await turnOn(person, one)).status).toBe(400)
  expect((await read(person)).devices).toEqual([])
})

test('only where a test allows it, a device may have its push service on this machine, with the sandbox or without', async () => {
  await using real = await buildTestApp({ settings: { limitsOn: false, pushLoopback: false } })
  const person = await signIn(real)
  const { subscription } = service.subscribe((await read(person, real)).publicKey)
  const turnOnThere = (endpoint: string) =>
    call(real, person, 'POST', '/v1/push/devices', { ...subscription, endpoint })
  expect((await turnOnThere(subscription.endpoint)).body.code).toBe('push_subscription_invalid')
  const elsewhere = await turnOnThere('https://push.example/send')
  expect(elsewhere.status).toBe(201)
  const renewal = { token: elsewhere.body.token, subscription }
  const renewed = await real.app.inject({ method: 'POST', url: '/push/renew', payload: renewal })
  expect(renewed.json().code).toBe('push_subscription_invalid')
  // A device that was turned on while a test allowed it.
  const wire = makePushWire({ loopback: false, connections: 1, nameServers: null })
  const message = { endpoint: subscription.endpoint, headers: {}, body: Buffer.alloc(0) }
  expect(await wire.post(message, 3000, real.clock.now())).toEqual({ status: 400, waitMs: 0 })
  wire.close()
  expect(service.asked.size).toBe(0)
})

test('the traders are those who are followed now, each with a switch of its own beside the mails’', async () => {
  const fan = await signIn(testApp)
  const [anna, zoe] = [await makeTrader(testApp, 'Anna-Push'), await makeTrader(testApp, 'zoe-push')]
  await subscribe(testApp, fan, zoe)
  const id = await subscribe(testApp, fan, anna)
  const path = `/v1/subscriptions/${id}/push`
  expect((await call(testApp, fan, 'POST', path, { enabled: false })).body).toEqual({ pushEnabled: false })
  expect((await read(fan)).traders).toMatchObject([
    { id, username: 'Anna-Push', pushEnabled: false },
    { username: 'zoe-push', pushEnabled: true },
  ])
  const { body } = await call(testApp, fan, 'GET', '/v1/subscriptions')
  expect(JSON.stringify(body)).not.toContain('"mailEnabled":false')
  for (const wrong of [path.replace(id, newId()), path.replace(id, 'nobody')])
    expect((await call(testApp, fan, 'POST', wrong, { enabled: false })).body.code).toBe(
      'subscription_not_found',
    )
  expect((await call(testApp, anna, 'POST', path, { enabled: true })).status).toBe(404)
})

test('a key sealed under a secret that was lost is replaced, and devices keep the one that they were turned on with', async () => {
  const person = await signIn(testApp)
  const { publicKey } = await read(person)
  const authSecret = 'another secret of the tests and of nobody else'
  const { db, pipelined, pool, dropIdle, disk, url } = testApp
  const database = { db, pipelined, pool, dropIdle, disk, url, close: async () => undefined }
  await using later = await buildTestApp({ database, settings: { authSecret, limitsOn: false } })
  const lost = (await read(await signIn(later), later)).publicKey
  expect(lost).not.toBe(publicKey)
  const both = { authSecret: `${testSettings().authSecret},${authSecret}`, limitsOn: false }
  await using again = await buildTestApp({ database, settings: both })
  expect((await read(await signIn(again), again)).publicKey).toBe(lost)
})
