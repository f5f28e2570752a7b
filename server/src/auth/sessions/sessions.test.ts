import type { AuthSession } from '@tradepost/contract/auth'
import { endpoints } from '@tradepost/contract/endpoints'
import type { Session } from '@tradepost/contract/sessions'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'
import { makeAuthDeps } from '../keys/auth-deps.ts'
import { endSession } from './end-session.ts'

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:150.0) Gecko/20100101 Firefox/150.0'
const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1'
const MINUTE_MS = 60_000

let testApp: TestApp
let wire: ReturnType<typeof authWire>
let address = 0

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))

function newEmail(): string {
  address += 1
  return `sessions-${address}@example.com`
}

type From = { ip?: string; userAgent?: string }

async function ask(token: string, method: 'GET' | 'POST', url: string, from: From = {}) {
  const answer = await testApp.app.inject({
    method,
    url,
    headers: { ...bearer(token), ...(from.userAgent && { 'user-agent': from.userAgent }) },
    remoteAddress: from.ip ?? '127.0.0.1',
  })
  return { status: answer.statusCode, body: answer.json() }
}

async function list(token: string, from?: From): Promise<Session[]> {
  const { status, body } = await ask(token, 'GET', endpoints.sessions.path, from)
  expect(status).toBe(200)
  return body.sessions
}

const end = (token: string, id: string) => ask(token, 'POST', endpoints.endSession.path.replace(':id', id))
const idOf = ({ access_token }: AuthSession) => String(decodeJwt(access_token).session_id)
const isIn = async (token: string) => (await ask(token, 'GET', endpoints.configuration.path)).status === 200

/** Gives the account a second factor, confirmed in that session. @returns the session, renewed */
async function addFactor({ access_token: token }: AuthSession): Promise<AuthSession> {
  const enrolled = await wire.call('POST', '/factors', { token, body: { factor_type: 'totp' } })
  const { id, totp } = enrolled.body as { id: string; totp: { secret: string } }
  const challenge = await wire.call('POST', `/factors/${id}/challenge`, { token, body: {} })
  const code = authenticatorCode(totp.secret, testApp.clock.now())
  const body = { challenge_id: challenge.body.id, code }
  const confirmed = await wire.call('POST', `/factors/${id}/verify`, { token, body })
  expect(confirmed.status, confirmed.text).toBe(200)
  return confirmed.body as unknown as AuthSession
}

test('the list has the live sessions of the caller alone, their own first, then the last used', async () => {
  const email = newEmail()
  const here = await wire.enter(email)
  testApp.clock.advance(MINUTE_MS)
  const second = await wire.enter(email)
  testApp.clock.advance(MINUTE_MS)
  const third = await wire.enter(email)
  testApp.clock.advance(MINUTE_MS)
  const signedOut = await wire.enter(email)
  await wire.signOut(signedOut.access_token, 'local')
  await wire.enter(newEmail())
  const place = { device: 'Another program', network: 'local' }
  const sessions = await list(here.access_token)
  expect(sessions.map(({ id }) => id)).toEqual([idOf(here), idOf(third), idOf(second)])
  expect(sessions[0]).toEqual({
    id: idOf(here),
    current: true,
    awaitsSecondStep: false,
    seenAt: TEST_NOW.toISOString(),
    seenFrom: place,
    signedInAt: TEST_NOW.toISOString(),
    signedInFrom: place,
  })
  expect(sessions.slice(1).map(({ current }) => current)).toEqual([false, false])
})

test('a session that was used later than another was renewed stands before it', async () => {
  const email = newEmail()
  const here = await wire.enter(email)
  const used = await wire.enter(email)
  testApp.clock.advance(MINUTE_MS)
  const renewed = await wire.enter(email)
  testApp.clock.advance(10 * MINUTE_MS)
  expect(await isIn(used.access_token)).toBe(true)
  const listed = await list(here.access_token)
  expect(listed.map(({ id }) => id)).toEqual([here, used, renewed].map(idOf))
})

test('sessions that ended by age or idle time are not listed', async () => {
  const email = newEmail()
  await wire.enter(email)
  testApp.clock.advance(30 * 24 * 60 * MINUTE_MS - 1)
  const here = await wire.enter(email)
  expect(await list(here.access_token)).toHaveLength(2)
  testApp.clock.advance(1)
  expect((await list(here.access_token)).map(({ id }) => id)).toEqual([idOf(here)])
})

test('use is noted from five minutes after the last, with device and network, beside those of the sign-in', async () => {
  const { access_token: token, refresh_token } = await wire.enter(newEmail())
  const thief = { ip: '198.51.100.9', userAgent: SAFARI }
  testApp.clock.advance(5 * MINUTE_MS - 1)
  await list(token, thief)
  expect((await list(token))[0]).toMatchObject({
    seenAt: TEST_NOW.toISOString(),
    seenFrom: { network: 'local' },
  })
  testApp.clock.advance(1)
  const seen = {
    seenAt: '2026-03-04T15:05:00.000Z',
    seenFrom: { device: 'Safari on iPhone', network: '198.51.100.*' },
    signedInFrom: { device: 'Another program', network: 'local' },
  }
  expect((await list(token, thief))[0]).toMatchObject(seen)
  testApp.clock.advance(4 * MINUTE_MS)
  expect((await list(token, { userAgent: FIREFOX }))[0]).toMatchObject(seen)

  // A refresh is use too.
  const refreshed = await testApp.app.inject({
    method: 'POST',
    url: '/auth/v1/token?grant_type=refresh_token',
    headers: { 'user-agent': FIREFOX },
    payload: { refresh_token },
    remoteAddress: '203.0.113.5',
  })
  expect(refreshed.statusCode).toBe(200)
  expect((await list(refreshed.json().access_token))[0]).toMatchObject({
    seenAt: '2026-03-04T15:09:00.000Z',
    seenFrom: { device: 'Firefox on Linux', network: '203.0.113.*' },
  })
})

test('sessions are listed with device, network and last use, and one that is ended is out at once while the others stay', {
  tags: ['AUTH-28'],
}, async () => {
  const email = newEmail()
  const [here, stolen, other] = [await wire.enter(email), await wire.enter(email), await wire.enter(email)]
  expect(await isIn(stolen.access_token)).toBe(true)
  const place = { device: 'Another program', network: 'local' }
  const listed = { seenAt: TEST_NOW.toISOString(), seenFrom: place, signedInFrom: place }
  expect(await list(here.access_token)).toMatchObject([listed, listed, listed])
  expect(await end(here.access_token, idOf(stolen))).toEqual({ status: 200, body: { ok: true } })
  expect(await isIn(stolen.access_token)).toBe(false)
  expect((await wire.user(stolen.access_token)).body.code).toBe('session_not_found')
  expect((await wire.refresh(stolen.refresh_token)).body.code).toBe('refresh_token_not_found')
  expect((await list(here.access_token)).map(({ id }) => id)).toEqual([idOf(here), idOf(other)])
  expect(await end(here.access_token, idOf(stolen))).toMatchObject({ status: 200 })
  const written = await testApp.db
    .selectFrom('audit_log')
    .select(['action', 'session_id', 'detail'])
    .where('action', '=', 'session_ended')
    .where('detail', '=', idOf(stolen))
    .execute()
  expect(written).toEqual([{ action: 'session_ended', session_id: idOf(here), detail: idOf(stolen) }])
  expect(await end(here.access_token, idOf(here))).toMatchObject({ status: 200 })
  expect(await isIn(here.access_token)).toBe(false)
  expect(await isIn(other.access_token)).toBe(true)
})

test('a session of somebody else is not found, and a text that is no id is a bad request', async () => {
  const here = await wire.enter(newEmail())
  const stranger = await wire.enter(newEmail())
  const notFound = { status: 404, body: { code: 'not_found' } }
  expect(await end(here.access_token, idOf(stranger))).toMatchObject(notFound)
  expect(await end(here.access_token, '0194f7a0-0000-7000-8000-000000000000')).toMatchObject(notFound)
  expect(await end(here.access_token, 'all')).toMatchObject({ status: 400, body: { code: 'bad_request' } })
  expect(await isIn(stranger.access_token)).toBe(true)
})

test('a session without the second factor is listed as waiting, lists nothing and ends nobody', async () => {
  const email = newEmail()
  const owner = await addFactor(await wire.enter(email))
  const thief = await wire.enter(email)
  expect(
    (await list(owner.access_token)).map(({ current, awaitsSecondStep }) => [current, awaitsSecondStep]),
  ).toEqual([
    [true, false],
    [false, true],
  ])
  const needsFactor = { status: 401, body: { code: 'second_factor_required' } }
  expect(await ask(thief.access_token, 'GET', endpoints.sessions.path)).toMatchObject(needsFactor)
  expect(await end(thief.access_token, idOf(owner))).toMatchObject(needsFactor)

  // The guard let it in a moment before the account got its factor.
  const caller = { userId: String(decodeJwt(thief.access_token).sub), sessionId: idOf(thief), email }
  const client = { ip: '127.0.0.1', userAgent: null }
  const ended = endSession(makeAuthDeps(testApp), caller, idOf(owner), client, TEST_NOW)
  await expect(ended).rejects.toMatchObject({ code: 'second_factor_required' })
  expect(await isIn(owner.access_token)).toBe(true)
  expect(await end(owner.access_token, idOf(thief))).toMatchObject({ status: 200 })
  expect((await wire.user(thief.access_token)).body.code).toBe('session_not_found')
})

test('two sessions that end each other at once do not wait for each other for ever', async () => {
  const email = newEmail()
  const [one, two] = [await wire.enter(email), await wire.enter(email)]
  const answers = await Promise.all([end(one.access_token, idOf(two)), end(two.access_token, idOf(one))])
  expect(answers.map(({ status }) => status)).toContain(200)
  expect(answers.filter(({ status }) => status !== 200 && status !== 401)).toEqual([])
})
