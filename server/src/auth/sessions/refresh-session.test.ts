import type { AuthSession } from '@tradepost/contract/auth'
import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'
import { authRoutes } from '../../gotrue/auth.routes.ts'
import { connectDatabase } from '../../platform/database/database.ts'
import { makeHttpServer } from '../../platform/http/http-server.ts'
import { makeAuthDeps } from '../keys/auth-deps.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { makeRefreshToken, readRefreshToken } from './refresh-tokens.ts'

const DAY_MS = 86_400_000
let testApp: TestApp
let wire: ReturnType<typeof authWire>
let address = 0

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))

function enter(): Promise<AuthSession> {
  address += 1
  return wire.enter(`person-${address}@example.com`)
}

async function refresh(token: string): Promise<AuthSession> {
  const answer = await wire.refresh(token)
  expect(answer.status, answer.text).toBe(200)
  return answer.body as unknown as AuthSession
}

async function refused(token: string): Promise<unknown> {
  const answer = await wire.refresh(token)
  expect(answer.status).toBe(400)
  return answer.body.code
}

async function v1Status(session: AuthSession): Promise<number> {
  const headers = bearer(session.access_token)
  return (await testApp.app.inject({ url: endpoints.payoutStatus.path, headers })).statusCode
}

test('a refresh gives the next pair and the user as they are now', async () => {
  const first = await enter()
  testApp.clock.advance(3_000_000)
  const second = await refresh(first.refresh_token)
  expect(second.refresh_token).not.toBe(first.refresh_token)
  expect(second.expires_at).toBe(first.expires_at + 3000)
  expect(second.user).toEqual(first.user)
  expect(await v1Status(second)).toBe(200)
})

test('the parent is answered with the same successor for ten seconds, even if that was used', async () => {
  const first = await enter()
  const second = await refresh(first.refresh_token)
  expect(await v1Status(second)).toBe(200)
  testApp.clock.advance(10_000)
  expect((await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
  testApp.clock.advance(1)
  expect(await refused(first.refresh_token)).toBe('refresh_token_already_used')
})

test('an answer that got lost can be fetched again as long as it was not presented', async () => {
  const first = await enter()
  const lost = await refresh(first.refresh_token)
  // Another session that presents its first successor proves nothing about this one.
  expect(await v1Status(await refresh((await enter()).refresh_token))).toBe(200)
  testApp.clock.advance(3_600_000)
  const again = await refresh(first.refresh_token)
  expect(again.refresh_token).toBe(lost.refresh_token)
  const third = await refresh(again.refresh_token)
  expect(await v1Status(third)).toBe(200)
})

test('the successor counts as presented when its access token was, and the old one does not count', async () => {
  const first = await enter()
  const second = await refresh(first.refresh_token)
  testApp.clock.advance(60_000)
  expect(await v1Status(first)).toBe(200)
  expect((await refresh(first.refresh_token)).refresh_token).toBe(second.refresh_token)
  expect((await wire.user(second.access_token)).status).toBe(200)
  expect(await refused(first.refresh_token)).toBe('refresh_token_already_used')
})

test('each refresh gives another token, and a replayed one ends the whole session, its newest descendant too', {
  tags: ['AUTH-22'],
}, async () => {
  const first = await enter()
  const second = await refresh(first.refresh_token)
  const third = await refresh(second.refresh_token)
  expect(new Set([first, second, third].map(({ refresh_token }) => refresh_token)).size).toBe(3)
  // A grandparent never comes from a second tab, however soon it comes.
  expect(await refused(first.refresh_token)).toBe('refresh_token_already_used')
  expect(await refused(third.refresh_token)).toBe('refresh_token_not_found')
  expect(await refused(second.refresh_token)).toBe('refresh_token_not_found')
  expect(await v1Status(third)).toBe(401)
  const { body } = await wire.user(third.access_token)
  expect(body.code).toBe('session_not_found')
})

test('a replay ends that session alone', async () => {
  address += 1
  const email = `person-${address}@example.com`
  const stolen = await wire.enter(email)
  const other = await wire.enter(email)
  const second = await refresh(stolen.refresh_token)
  await refresh(second.refresh_token)
  await refused(stolen.refresh_token)
  expect(await v1Status(other)).toBe(200)
})

test('eight tabs that refresh at once stay signed in, in one line, for 25 rounds', async () => {
  let session = await enter()
  for (let round = 0; round < 25; round++) {
    const token = session.refresh_token
    const sessions = await Promise.all(Array.from({ length: 8 }, () => refresh(token)))
    expect(new Set(sessions.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    for (const each of sessions) expect(each.refresh_token).not.toBe(token)
    session = sessions[round % 8] as AuthSession
    testApp.clock.advance(3_600_000)
  }
  expect(await v1Status(await refresh(session.refresh_token))).toBe(200)
})

test('dead and foreign tokens are refused with 400, never as an outage', async () => {
  const { refresh_token } = await enter()
  const secret = makeSecretKey(testApp.settings.authSecret)
  const content = readRefreshToken(secret, refresh_token)
  expect(content).toMatchObject({ counter: 0 })
  const sessionId = content?.sessionId ?? ''
  const flipped = Buffer.from(refresh_token, 'base64url')
  flipped[20] = (flipped[20] ?? 0) ^ 1
  const dead = [
    'garbage',
    `${refresh_token}=`,
    `${refresh_token}A`,
    flipped.toString('base64url'),
    makeRefreshToken(makeSecretKey('another secret, as long as it has to be'), { sessionId, counter: 0 }),
    makeRefreshToken(secret, { sessionId: crypto.randomUUID(), counter: 0 }),
    makeRefreshToken(secret, { sessionId, counter: 7 }),
  ]
  for (const token of dead) expect(await refused(token)).toBe('refresh_token_not_found')
  for (const body of [undefined, {}, { refresh_token: '' }, { refresh_token: 7 }]) {
    const answer = await wire.call('POST', '/token?grant_type=refresh_token', { body })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  }
  expect((await refresh(refresh_token)).refresh_token).not.toBe(refresh_token)
})

test('an absent database is an outage that clients wait for, not a refusal', async () => {
  const { refresh_token, access_token } = await enter()
  const { clock, settings } = testApp
  const away = connectDatabase({ url: 'postgres://nobody@127.0.0.1:1/nothing', size: 1, log: silentLog })
  const { origin } = settings
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  await authRoutes(app, makeAuthDeps({ ...away, clock, settings }))
  const answers = [
    await app.inject({
      method: 'POST',
      url: '/auth/v1/token?grant_type=refresh_token',
      payload: { refresh_token },
    }),
    await app.inject({ url: '/auth/v1/user', headers: bearer(access_token) }),
  ]
  for (const answer of answers) {
    expect([answer.statusCode, answer.headers['retry-after']]).toEqual([503, '5'])
    expect(answer.json()).toMatchObject({ error_code: 'unexpected_failure' })
  }
  await app.close()
  await away.close()
})

test('a session ends by 30 idle days and by 90 days of age', async () => {
  const idle = await enter()
  testApp.clock.set(new Date(TEST_NOW.getTime() + 30 * DAY_MS))
  expect(await refused(idle.refresh_token)).toBe('session_expired')
  testApp.clock.set(new Date(TEST_NOW.getTime() + 30 * DAY_MS - 1))
  let used = await refresh(idle.refresh_token)
  for (const days of [55, 80]) {
    testApp.clock.set(new Date(TEST_NOW.getTime() + days * 86_400_000))
    used = await refresh(used.refresh_token)
  }
  testApp.clock.set(new Date(TEST_NOW.getTime() + 90 * DAY_MS))
  expect(await refused(used.refresh_token)).toBe('session_expired')
})

test('a suspended person cannot refresh', async () => {
  const { refresh_token, user } = await enter()
  await testApp.db.updateTable('users').set({ suspended_at: TEST_NOW }).where('id', '=', user.id).execute()
  expect(await refused(refresh_token)).toBe('user_banned')
})

test('global ends all sessions of a person, at once and for /v1 too', { tags: ['AUTH-08'] }, async () => {
  address += 1
  const email = `person-${address}@example.com`
  const [here, there, stranger] = [await wire.enter(email), await wire.enter(email), await enter()]
  const answer = await wire.signOut(here.access_token)
  expect([answer.status, answer.text]).toEqual([204, ''])
  for (const session of [here, there]) {
    expect(await v1Status(session)).toBe(401)
    expect(await refused(session.refresh_token)).toBe('refresh_token_not_found')
    const again = await wire.signOut(session.access_token)
    expect([again.status, again.body.code]).toEqual([403, 'session_not_found'])
  }
  expect(await v1Status(stranger)).toBe(200)
})

test('local ends this session, others all but this, global all, and an unknown scope none', {
  tags: ['AUTH-26'],
}, async () => {
  address += 1
  const email = `person-${address}@example.com`
  const [first, second, third] = [await wire.enter(email), await wire.enter(email), await wire.enter(email)]
  expect((await wire.signOut(first.access_token, 'everywhere')).status).toBe(400)
  expect(await Promise.all([first, second, third].map(v1Status))).toEqual([200, 200, 200])
  expect((await wire.signOut(first.access_token, 'local')).status).toBe(204)
  expect(await Promise.all([first, second, third].map(v1Status))).toEqual([401, 200, 200])
  expect((await wire.signOut(second.access_token, 'others')).status).toBe(204)
  expect(await Promise.all([first, second, third].map(v1Status))).toEqual([401, 200, 401])
  const fourth = await wire.enter(email)
  expect((await wire.signOut(second.access_token, 'global')).status).toBe(204)
  expect(await Promise.all([second, fourth].map(v1Status))).toEqual([401, 401])
})
