import { endpoints } from '@tradepost/contract/endpoints'
import { SignJWT } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { bearer, signIn } from '../../../test/sign-in/sign-in.ts'
import { makeHttpServer } from '../../platform/http/http-server.ts'
import { registerEndpoints } from '../../platform/http/register-endpoints.ts'
import { limitCallers } from '../entry/limit-callers.ts'
import { signAccessToken } from '../keys/access-tokens.ts'
import { type AuthDeps, makeAuthDeps } from '../keys/auth-deps.ts'
import { authenticate } from './authenticate.ts'

const DAY_MS = 86_400_000
let testApp: TestApp
let auth: AuthDeps
let api: Awaited<ReturnType<typeof openApi>>

/** The guard before one call of the contract, which answers who it thinks is asking. */
async function openApi() {
  const { clock } = testApp
  const app = await makeHttpServer({ log: silentLog, origin: auth.origin, trustProxy: null, limitsOn: false })
  registerEndpoints(app, {
    clock,
    authenticate: (request, now) => authenticate(auth, request, now),
    limit: limitCallers(clock),
  }).serve(endpoints.subscribers, async () => ({ subscribers: 0 }))
  return app
}

async function ask(token: string | null) {
  const headers = token === null ? {} : bearer(token)
  const answer = await api.inject({ url: endpoints.subscribers.path, headers })
  return { status: answer.statusCode, code: answer.json().code as string | undefined }
}

beforeAll(async () => {
  testApp = await buildTestApp()
  auth = makeAuthDeps(testApp)
  api = await openApi()
})
afterAll(async () => {
  await api.close()
  await testApp.close()
})

const refused = { status: 401, code: 'unauthorized' }

test('the bearer of a live session is let in', async () => {
  const { token } = await signIn(testApp)
  expect(await ask(token)).toEqual({ status: 200, code: undefined })
})

test('no token, garbage and other schemes are refused', async () => {
  for (const token of [null, '', 'garbage', 'a.b.c', `${(await signIn(testApp)).token}x`]) {
    expect(await ask(token)).toEqual(refused)
  }
})

test('a token is good up to the millisecond before it expires', async () => {
  const { token } = await signIn(testApp)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 3_599_999))
  expect((await ask(token)).status).toBe(200)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 3_600_000))
  expect(await ask(token)).toEqual(refused)
  testApp.clock.set(TEST_NOW)
})

test('forged tokens are refused: no algorithm, HMAC over the public key, another key, audience, issuer', async () => {
  const { userId, sessionId, token, email } = await signIn(testApp)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const { kid } = JSON.parse(Buffer.from(header, 'base64url').toString())
  const published = await auth.signingKeys.published(TEST_NOW)
  const hmacOverPublicKey = await new SignJWT(claims)
    .setProtectedHeader({ alg: 'HS256', kid })
    .sign(Buffer.from(JSON.stringify(published[0])))
  const stranger = makeAuthDeps(testApp)
  const foreign = await buildTestApp()
  const content = { userId, sessionId, generation: 0, email, aal: 'aal1', amr: [] }
  const forged = [
    `${part({ alg: 'none', kid })}.${payload}.`,
    hmacOverPublicKey,
    await signAccessToken(makeAuthDeps(foreign), content, TEST_NOW),
    await signAccessToken({ ...stranger, origin: 'https://elsewhere.example' }, content, TEST_NOW),
    `${part({ alg: 'ES256', kid: '../../etc/passwd' })}.${payload}.${signature}`,
    `${header}.${part({ ...claims, sub: crypto.randomUUID() })}.${signature}`,
    `${header}.${part({ ...claims, aal: 'aal2' })}.${signature}`,
    `${header}.${part({ ...claims, aud: 'elsewhere' })}.${signature}`,
  ]
  await foreign.close()
  for (const token of forged) expect(await ask(token)).toEqual(refused)
})

test('a token that was let in once lets no other token in', async () => {
  const { token } = await signIn(testApp)
  expect((await ask(token)).status).toBe(200)
  const [header = '', payload = '', signature = ''] = token.split('.')
  const flipped = Buffer.from(signature, 'base64url')
  flipped.writeUInt8(flipped.readUInt8(0) ^ 1)
  const likenesses = [
    `${header}.${payload}.`,
    `${header}.${payload}.${flipped.toString('base64url')}`,
    `${header}.${payload}.${signature}.${signature}`,
    `${header}.${payload.slice(0, -1)}.${signature}`,
  ]
  for (const likeness of likenesses) expect(await ask(likeness)).toEqual(refused)
  expect((await ask(token)).status).toBe(200)
})

test('a token of ours for another audience, issuer or person is refused', async () => {
  const { userId, sessionId } = await signIn(testApp)
  const other = await signIn(testApp)
  const { kid, key } = await auth.signingKeys.signing(TEST_NOW)
  const right = { iss: `${auth.origin}/auth/v1`, aud: 'authenticated', sub: userId, session_id: sessionId }
  const sign = (changes: object) =>
    new SignJWT({ ...right, generation: 0, exp: TEST_NOW.getTime() / 1000 + 60, ...changes })
      .setProtectedHeader({ alg: 'ES256', kid })
      .sign(key)
  expect((await ask(await sign({}))).status).toBe(200)
  const wrong = [
    { aud: 'elsewhere' },
    { iss: 'https://elsewhere.example/auth/v1' },
    { sub: other.userId },
    { session_id: crypto.randomUUID() },
    { session_id: undefined },
    { exp: undefined },
  ]
  for (const changes of wrong)
    expect(await ask(await sign(changes)), JSON.stringify(changes)).toEqual(refused)
})

test('sessions end by sign-out, 30 idle days and 90 days of age', async () => {
  const { db } = testApp
  const { token, sessionId } = await signIn(testApp)
  const session = db.updateTable('sessions').where('id', '=', sessionId)
  const before = (milliseconds: number) => new Date(TEST_NOW.getTime() - milliseconds)

  await session.set({ refreshed_at: before(30 * DAY_MS - 1) }).execute()
  expect((await ask(token)).status).toBe(200)
  await session.set({ refreshed_at: before(30 * DAY_MS) }).execute()
  expect(await ask(token)).toEqual(refused)
  await session.set({ refreshed_at: TEST_NOW, created_at: before(90 * DAY_MS) }).execute()
  expect(await ask(token)).toEqual(refused)
  await session.set({ created_at: TEST_NOW }).execute()
  expect((await ask(token)).status).toBe(200)
  await session.set({ revoked_at: TEST_NOW }).execute()
  expect(await ask(token)).toEqual(refused)
})

test('a suspended account is the only 403', async () => {
  const { token, userId } = await signIn(testApp)
  await testApp.db.updateTable('users').set({ suspended_at: TEST_NOW }).where('id', '=', userId).execute()
  expect(await ask(token)).toEqual({ status: 403, code: 'account_suspended' })
})

test('an account may call 600 times a minute', async () => {
  const { token } = await signIn(testApp)
  const other = await signIn(testApp)
  for (let call = 0; call < 600; call++) expect((await ask(token)).status).toBe(200)
  testApp.clock.advance(15_000)
  const over = await api.inject({ url: endpoints.subscribers.path, headers: bearer(token) })
  // The minute of the clock began with the first call.
  expect([over.statusCode, over.json().code, over.headers['retry-after']]).toEqual([
    429,
    'rate_limited',
    '45',
  ])
  expect((await ask(other.token)).status).toBe(200)
  testApp.clock.advance(45_000)
  expect((await ask(token)).status).toBe(200)
  testApp.clock.set(TEST_NOW)
})
