import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { networksOf } from '../sessions/limit-sign-in.ts'

const MINUTE_MS = 60_000

test('one mail a minute goes to an address, to the millisecond', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  expect((await wire.otp('ada@example.com')).status).toBe(200)
  testApp.clock.advance(MINUTE_MS - 1)
  const soon = await wire.otp('ada@example.com')
  expect([soon.status, soon.body.code, soon.headers['retry-after']]).toEqual([
    429,
    'over_email_send_rate_limit',
    '1',
  ])
  expect((await wire.otp('grace@example.com')).status).toBe(200)
  testApp.clock.advance(1)
  expect((await wire.otp('ada@example.com')).status).toBe(200)
})

test('five mails an hour go to an address, and the hour slides', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  for (let sent = 0; sent < 5; sent++) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + sent * 10 * MINUTE_MS))
    expect((await wire.otp('ada@example.com')).status).toBe(200)
  }
  testApp.clock.set(new Date(TEST_NOW.getTime() + 50 * MINUTE_MS))
  const sixth = await wire.otp('ada@example.com')
  expect([sixth.status, sixth.headers['retry-after']]).toEqual([429, '600'])
  testApp.clock.set(new Date(TEST_NOW.getTime() + 60 * MINUTE_MS))
  expect((await wire.otp('ada@example.com')).status).toBe(200)
  testApp.clock.advance(MINUTE_MS)
  expect((await wire.otp('ada@example.com')).status).toBe(429)
})

test('of twenty requests at once one is mailed', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const answers = await Promise.all(Array.from({ length: 20 }, () => wire.otp('ada@example.com')))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect(await deliverSignInMails(testApp)).toHaveLength(1)
})

test('a refused request leaves the earlier code alive', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const { code } = await wire.mailTo('ada@example.com')
  expect((await wire.otp('ada@example.com')).status).toBe(429)
  expect((await wire.verify('ada@example.com', code)).status).toBe(200)
})

test('thirty requests in five minutes come from one network, whatever headers it sends', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  for (let sent = 0; sent < 30; sent++) {
    expect((await wire.otp(`person-${sent}@example.com`, {}, '192.0.2.1')).status).toBe(200)
  }
  const over = await testApp.app.inject({
    method: 'POST',
    url: '/auth/v1/otp',
    headers: { 'x-forwarded-for': '203.0.113.9' },
    payload: { email: 'one.more@example.com' },
    remoteAddress: '192.0.2.1',
  })
  expect([over.statusCode, over.json().error_code]).toEqual([429, 'over_request_rate_limit'])
  expect(Number(over.headers['retry-after'])).toBeGreaterThan(0)
  expect((await wire.otp('one.more@example.com', {}, '192.0.2.2')).status).toBe(200)
  expect((await wire.verify('one.more@example.com', '123456', '192.0.2.1')).status).toBe(403)
  testApp.clock.advance(5 * MINUTE_MS)
  expect((await wire.otp('yet.another@example.com', {}, '192.0.2.1')).status).toBe(200)
})

test('verify, link and the question for a mail that came back have their own limit by network', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const look = () =>
    wire.call('POST', '/returned', { body: { email: 'ada@example.com', code_challenge: 'x'.repeat(43) } })
  for (let tried = 0; tried < 30; tried++) {
    expect((await wire.verify('ada@example.com', '123456')).status).toBe(403)
    expect((await wire.call('POST', '/link', { body: { token_hash: 'x' } })).status).toBe(403)
    expect((await look()).status).toBe(200)
  }
  expect((await look()).body.code).toBe('over_request_rate_limit')
  expect((await wire.verify('ada@example.com', '123456')).body.code).toBe('over_request_rate_limit')
  const link = await wire.call('POST', '/link', { body: { token_hash: 'x' } })
  expect(link.body.code).toBe('over_request_rate_limit')
})

test('without limits codes still die after five wrong tries', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  for (let sent = 0; sent < 40; sent++) expect((await wire.otp('ada@example.com')).status).toBe(200)
  const { code } = await wire.mailTo('ada@example.com')
  const wrong = code === '111111' ? '222222' : '111111'
  for (let tried = 0; tried < 5; tried++) await wire.verify('ada@example.com', wrong)
  expect((await wire.verify('ada@example.com', code)).status).toBe(403)
})

test('a token that is none of ours is refused however often it comes', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  for (let asked = 0; asked < 1300; asked++) {
    expect((await wire.refresh('not a token of ours')).status).toBe(400)
  }
})

test('a session is refreshed sixty times in five minutes, and a refusal for the number of calls ends it in no client', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const session = await wire.enter('ada@example.com')
  testApp.clock.advance(MINUTE_MS)
  const other = await wire.enter('ada@example.com')
  testApp.clock.set(new Date(TEST_NOW.getTime() + 5 * MINUTE_MS))
  let token = session.refresh_token
  for (let refreshed = 0; refreshed < 60; refreshed++) {
    const { status, body } = await wire.refresh(token)
    expect(status).toBe(200)
    token = String(body.refresh_token)
  }
  const over = await wire.refresh(token)
  expect([over.status, over.body.code, over.headers['retry-after']]).toEqual([
    503,
    'over_request_rate_limit',
    '300',
  ])
  expect((await wire.refresh(other.refresh_token)).status).toBe(200)
  testApp.clock.advance(5 * MINUTE_MS)
  expect((await wire.refresh(token)).status).toBe(200)
})

test('sixty /64 of one /48 get no more than four networks would, and leave everybody else in', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const answers: [ip: string, status: number][] = []
  for (let asked = 0; asked < 1000; asked++) {
    const subnet = (asked % 60).toString(16).padStart(2, '0')
    const ip = `2001:db8:1:${subnet}00::${asked.toString(16)}`
    answers.push([ip, (await wire.otp(`target-${asked}@example.com`, {}, ip)).status])
  }
  expect(answers.filter(([, status]) => status === 200)).toHaveLength(120)
  expect(answers.filter(([, status]) => status !== 200).every(([, status]) => status === 429)).toBe(true)
  expect((await wire.otp('ada@example.com', {}, '2001:db8:2::1')).status).toBe(200)
  expect((await wire.otp('grace@example.com', {}, '192.0.2.1')).status).toBe(200)
  testApp.clock.advance(5 * MINUTE_MS)
  expect((await wire.otp('later@example.com', {}, '2001:db8:1::1')).status).toBe(200)
})

test('a /64 takes half of its /56, a /56 half of its /48, and what is refused counts for no neighbour', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  let asked = 0
  const passed = async (prefix: string, times: number) => {
    let count = 0
    for (let at = 0; at < times; at++) {
      asked += 1
      if ((await wire.otp(`p${asked}@example.com`, {}, `${prefix}::${at.toString(16)}`)).status === 200)
        count += 1
    }
    return count
  }
  expect(await passed('2001:db8:1:ff00', 100)).toBe(30)
  expect(await passed('2001:db8:1:ff01', 29)).toBe(29)
  // The first /56 has one left, whichever /64 asks.
  expect(await passed('2001:db8:1:ffff', 10)).toBe(1)
  expect(await passed('2001:db8:1:fe00', 30)).toBe(30)
  expect(await passed('2001:db8:1:fe01', 31)).toBe(30)
  expect(await passed('2001:db8:1:1', 5)).toBe(0)
})

test('an address lies in one IPv4 network, or in a /64, a /56 and a /48', () => {
  const v4 = [{ network: '192.0.2.1', max: 30 }]
  expect(networksOf('192.0.2.1')).toEqual(v4)
  expect(networksOf('::ffff:192.0.2.1')).toEqual(v4)
  expect(networksOf('2001:db8:1:203:3:4:5:6')).toEqual([
    { network: '20010db800010203/64', max: 30 },
    { network: '20010db8000102/56', max: 60 },
    { network: '20010db80001/48', max: 120 },
  ])
  const narrowest = (ip: string) => networksOf(ip)[0]?.network
  expect(narrowest('2001:0DB8:1:2::6')).toBe('20010db800010002/64')
  expect(narrowest('2001:db8::6')).toBe('20010db800000000/64')
  expect(narrowest('::1')).toBe('0000000000000000/64')
  expect(narrowest('fe80::1%eth0')).toBe('fe80000000000000/64')
})

test('attempts that have ended are forgotten, and live ones are kept', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  const { access_token } = await wire.enter('gone@example.com')
  await wire.signOut(access_token)
  testApp.clock.advance(2 * 60 * MINUTE_MS)
  const living = await wire.enter('ada@example.com')
  await runPurges(testApp)
  const { rows } = await sql<{ challenges: number; addresses: number; sessions: number; users: number }>`
    select (select count(*) from otp_challenges) challenges, (select count(*) from sign_in_addresses) addresses,
      (select count(*) from sessions) sessions, (select count(*) from users) users`.execute(testApp.db)
  expect(rows).toEqual([{ challenges: 1, addresses: 1, sessions: 1, users: 2 }])
  expect((await wire.user(living.access_token)).status).toBe(200)
})
