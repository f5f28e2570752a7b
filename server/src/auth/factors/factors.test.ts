import { endpoints } from '@tradepost/contract/endpoints'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { authenticatorCode, wrongAuthenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'

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
  return `person-${address}@example.com`
}

type Tokens = { access_token: string; refresh_token: string }
type Enrolled = { id: string; secret: string; uri: string; qr: string }

async function enrol(token: string, body: object = {}): Promise<Enrolled> {
  const answer = await wire.call('POST', '/factors', { token, body: { factor_type: 'totp', ...body } })
  expect(answer.status, answer.text).toBe(200)
  const { id, totp } = answer.body as { id: string; totp: { secret: string; uri: string; qr_code: string } }
  return { id, secret: totp.secret, uri: totp.uri, qr: totp.qr_code }
}

async function challenge(token: string, factorId: string): Promise<string> {
  const answer = await wire.call('POST', `/factors/${factorId}/challenge`, { token, body: { factorId } })
  expect(answer.status, answer.text).toBe(200)
  return String(answer.body.id)
}

function answer(token: string, factorId: string, challengeId: string, code: string) {
  return wire.call('POST', `/factors/${factorId}/verify`, {
    token,
    body: { challenge_id: challengeId, code },
  })
}

async function confirm(token: string, factor: Enrolled) {
  const code = authenticatorCode(factor.secret, testApp.clock.now())
  const confirmed = await answer(token, factor.id, await challenge(token, factor.id), code)
  expect(confirmed.status, confirmed.text).toBe(200)
  return confirmed.body as unknown as Tokens
}

/** Someone with a confirmed factor, in a session at aal2. */
async function personWithFactor() {
  const email = newEmail()
  const first = await wire.enter(email)
  const factor = await enrol(first.access_token)
  return { email, first, factor, tokens: await confirm(first.access_token, factor) }
}

function askProduct(token: string) {
  return testApp.app.inject({ url: endpoints.configuration.path, headers: bearer(token) })
}

/** Moves to where the codes are others. */
function nextStep(): void {
  testApp.clock.advance(30_000)
}

test('an enrolment answers a secret, an address and a picture that survives in a data URL', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const { id, secret, uri, qr } = await enrol(token, { friendly_name: 'My phone', issuer: 'Elsewhere' })
  expect(secret).toMatch(/^[A-Z2-7]{32}$/)
  expect(uri).toMatch(/^otpauth:\/\/totp\/Elsewhere:person-\d+%40example\.com\?/)
  const parameters = new URL(uri).searchParams
  expect(Object.fromEntries(parameters)).toMatchObject({
    secret,
    algorithm: 'SHA1',
    digits: '6',
    period: '30',
  })
  expect(qr).toMatch(/^<svg .*<\/svg>$/s)
  expect(qr).not.toContain('#')
  const { body } = await wire.user(token)
  expect(body.factors).toEqual([
    {
      id,
      factor_type: 'totp',
      status: 'unverified',
      friendly_name: 'My phone',
      phone: '',
      last_challenged_at: null,
      created_at: TEST_NOW.toISOString(),
      updated_at: TEST_NOW.toISOString(),
    },
  ])
  const row = await testApp.db
    .selectFrom('mfa_factors')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  expect(JSON.stringify(row) + row.secret_sealed?.toString('latin1')).not.toContain(secret)
})

test('a code raises the session to aal2, and everything open at aal1 ends', async () => {
  const email = newEmail()
  const elsewhere = await wire.enter(email)
  const here = await wire.enter(email)
  const factor = await enrol(here.access_token)
  const raised = await confirm(here.access_token, factor)

  const before = decodeJwt(here.access_token)
  expect(decodeJwt(raised.access_token)).toMatchObject({
    session_id: before.session_id,
    sub: before.sub,
    aal: 'aal2',
    amr: [{ method: 'totp', timestamp: TEST_NOW.getTime() / 1000 }, { method: 'otp' }],
  })
  expect((await wire.user(raised.access_token)).body.factors).toMatchObject([{ status: 'verified' }])
  expect((await askProduct(raised.access_token)).statusCode).toBe(200)
  expect((await wire.user(elsewhere.access_token)).body.code).toBe('session_not_found')
  expect((await wire.refresh(elsewhere.refresh_token)).body.code).toBe('refresh_token_not_found')
  const next = await wire.refresh(raised.refresh_token)
  expect(decodeJwt(String(next.body.access_token))).toMatchObject({ aal: 'aal2' })
})

test('with the mailbox alone nobody ends sessions that were confirmed with the second factor', async () => {
  const email = newEmail()
  const owner = await wire.enter(email)
  const raised = await confirm(owner.access_token, await enrol(owner.access_token))
  for (const scope of ['global', 'others', 'local']) {
    const other = await wire.enter(email)
    const intruder = await wire.enter(email)
    expect((await wire.signOut(intruder.access_token, scope)).status).toBe(204)
    expect((await wire.user(raised.access_token)).status, scope).toBe(200)
    // Sessions without it, theirs among them, end as the scope requires.
    expect((await wire.user(other.access_token)).status, scope).toBe(scope === 'local' ? 200 : 403)
    expect((await wire.user(intruder.access_token)).status, scope).toBe(scope === 'others' ? 200 : 403)
  }
  // Nor does a token from before the confirmation end the session that it is of.
  expect((await wire.signOut(owner.access_token)).status).toBe(204)
  expect((await wire.user(raised.access_token)).status).toBe(200)
  expect((await wire.signOut(raised.access_token)).status).toBe(204)
  expect((await wire.user(raised.access_token)).status).toBe(403)
})

test('the refresh token of aal1 does not become one of aal2, nor does the access token', async () => {
  const { first, tokens } = await personWithFactor()
  // Another tab may have sent it late: refused, and the session lives.
  const soon = await wire.refresh(first.refresh_token)
  expect([soon.status, soon.body.code]).toEqual([400, 'refresh_token_already_used'])
  expect((await askProduct(tokens.access_token)).statusCode).toBe(200)
  const old = await askProduct(first.access_token)
  expect([old.statusCode, old.json().code]).toEqual([401, 'second_factor_required'])
  testApp.clock.advance(10_001)
  expect((await wire.refresh(first.refresh_token)).body.code).toBe('refresh_token_already_used')
  expect((await askProduct(tokens.access_token)).json().code).toBe('unauthorized')
})

test('the product answers an unconfirmed session with 401 second_factor_required, everywhere', async () => {
  const { email, factor } = await personWithFactor()
  const { access_token: token } = await wire.enter(email)
  for (const endpoint of Object.values(endpoints)) {
    const refused = await testApp.app.inject({
      method: endpoint.method,
      url: endpoint.path,
      headers: bearer(token),
    })
    expect([refused.statusCode, refused.json().code], endpoint.path).toEqual([401, 'second_factor_required'])
  }
  nextStep()
  expect((await askProduct((await confirm(token, factor)).access_token)).statusCode).toBe(200)
})

test('before its first code a factor is asked of nobody', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  await enrol(token)
  expect((await askProduct(token)).statusCode).toBe(200)
})

test('a used step counts never again, not for another challenge nor another session', async () => {
  const { email, factor, tokens } = await personWithFactor()
  const used = authenticatorCode(factor.secret, TEST_NOW)
  const again = await answer(
    tokens.access_token,
    factor.id,
    await challenge(tokens.access_token, factor.id),
    used,
  )
  expect([again.status, again.body.code]).toEqual([422, 'mfa_verification_failed'])
  nextStep()
  const other = await wire.enter(email)
  const challengeId = await challenge(other.access_token, factor.id)
  // Still within the window, and used up all the same.
  expect((await answer(other.access_token, factor.id, challengeId, used)).body.code).toBe(
    'mfa_verification_failed',
  )
  const fresh = authenticatorCode(factor.secret, testApp.clock.now())
  expect((await answer(other.access_token, factor.id, challengeId, fresh)).status).toBe(200)
  // And the challenge is used up too.
  nextStep()
  const later = authenticatorCode(factor.secret, testApp.clock.now())
  const closed = await answer(tokens.access_token, factor.id, challengeId, later)
  expect(closed.status).toBe(422)
})

test('a clock may be one step off either way, and not two', async () => {
  for (const [steps, status] of [
    [-2, 422],
    [-1, 200],
    [1, 200],
    [2, 422],
  ] as const) {
    const { access_token: token } = await wire.enter(newEmail())
    const factor = await enrol(token)
    const code = authenticatorCode(factor.secret, new Date(TEST_NOW.getTime() + steps * 30_000))
    const judged = await answer(token, factor.id, await challenge(token, factor.id), code)
    expect(judged.status, String(steps)).toBe(status)
  }
})

test('after a code of the future an earlier one counts no more', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const factor = await enrol(token)
  const future = authenticatorCode(factor.secret, new Date(TEST_NOW.getTime() + 30_000))
  const raised = await answer(token, factor.id, await challenge(token, factor.id), future)
  const now = authenticatorCode(factor.secret, TEST_NOW)
  const newToken = String(raised.body.access_token)
  expect((await answer(newToken, factor.id, await challenge(newToken, factor.id), now)).status).toBe(422)
})

test('five wrong tries end a challenge, ten block the factor for a quarter of an hour', async () => {
  const { email, factor } = await personWithFactor()
  nextStep()
  const { access_token: token } = await wire.enter(email)
  const started = testApp.clock.now()
  const wrong = wrongAuthenticatorCode(factor.secret, started)
  const right = () => authenticatorCode(factor.secret, testApp.clock.now())
  const first = await challenge(token, factor.id)
  for (let tries = 0; tries < 5; tries++) {
    const refused = await answer(token, factor.id, first, wrong)
    expect([refused.status, refused.body.code]).toEqual([422, 'mfa_verification_failed'])
  }
  expect((await answer(token, factor.id, first, right())).body.code).toBe('mfa_challenge_expired')
  const second = await challenge(token, factor.id)
  for (let tries = 0; tries < 5; tries++) await answer(token, factor.id, second, wrong)
  const third = await challenge(token, factor.id)
  const blocked = await answer(token, factor.id, third, right())
  expect([blocked.status, blocked.body.code, blocked.headers['retry-after']]).toEqual([
    429,
    'over_request_rate_limit',
    '900',
  ])
  testApp.clock.set(new Date(started.getTime() + 900_000))
  expect((await answer(token, factor.id, await challenge(token, factor.id), right())).status).toBe(200)
})

test('tries at once are counted too: of thirty wrong ones no eleventh is looked at', async () => {
  const { factor, tokens } = await personWithFactor()
  nextStep()
  const wrong = wrongAuthenticatorCode(factor.secret, testApp.clock.now())
  const challenges = await Promise.all([1, 2, 3].map(() => challenge(tokens.access_token, factor.id)))
  const answers = await Promise.all(
    challenges.flatMap((id) =>
      Array.from({ length: 10 }, () => answer(tokens.access_token, factor.id, id, wrong)),
    ),
  )
  const compared = answers.filter(({ body }) => body.code === 'mfa_verification_failed')
  expect(compared).toHaveLength(10)
})

test('of twenty right answers at once one counts', async () => {
  const { factor, tokens } = await personWithFactor()
  nextStep()
  const code = authenticatorCode(factor.secret, testApp.clock.now())
  const ids = await Promise.all(Array.from({ length: 20 }, () => challenge(tokens.access_token, factor.id)))
  const answers = await Promise.all(ids.map((id) => answer(tokens.access_token, factor.id, id, code)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a challenge lives for five minutes, in the session and for the factor it was made for', async () => {
  const { email, factor, tokens } = await personWithFactor()
  const other = await wire.enter(email)
  const stranger = await personWithFactor()
  const challengeId = await challenge(tokens.access_token, factor.id)
  nextStep()
  const code = () => authenticatorCode(factor.secret, testApp.clock.now())
  const tries: [token: string, factorId: string, challengeId: string, status: number, code: string][] = [
    [other.access_token, factor.id, challengeId, 422, 'mfa_factor_not_found'],
    [stranger.tokens.access_token, factor.id, challengeId, 404, 'mfa_factor_not_found'],
    [stranger.tokens.access_token, stranger.factor.id, challengeId, 422, 'mfa_factor_not_found'],
    [tokens.access_token, factor.id, crypto.randomUUID(), 422, 'mfa_factor_not_found'],
    [tokens.access_token, 'not-an-id', challengeId, 404, 'mfa_factor_not_found'],
    [tokens.access_token, factor.id, 'not-an-id', 400, 'validation_failed'],
  ]
  for (const [token, factorId, id, status, refusal] of tries) {
    const judged = await answer(token, factorId, id, code())
    expect([judged.status, judged.body.code]).toEqual([status, refusal])
  }
  testApp.clock.set(new Date(TEST_NOW.getTime() + 300_000))
  expect((await answer(tokens.access_token, factor.id, challengeId, code())).body.code).toBe(
    'mfa_challenge_expired',
  )
  testApp.clock.advance(-1)
  expect((await answer(tokens.access_token, factor.id, challengeId, code())).status).toBe(200)
})

test('a request that is not offered or not well formed is refused', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  const cases: [body: object | undefined, status: number, code: string][] = [
    [{ factor_type: 'phone', phone: '+4912345' }, 422, 'mfa_phone_enroll_not_enabled'],
    [{ factor_type: 'webauthn' }, 422, 'mfa_webauthn_enroll_not_enabled'],
    [{ factor_type: 'carrier pigeon' }, 400, 'validation_failed'],
    [{ factor_type: 'totp', friendly_name: 'x'.repeat(101) }, 400, 'validation_failed'],
    [{ factor_type: 'totp', issuer: 'a\u0000b' }, 400, 'validation_failed'],
    [undefined, 400, 'validation_failed'],
  ]
  for (const [body, status, code] of cases) {
    const refused = await wire.call('POST', '/factors', { token, body })
    expect([refused.status, refused.body.code]).toEqual([status, code])
  }
  expect((await wire.call('POST', '/factors', { body: { factor_type: 'totp' } })).status).toBe(401)
})

test('names are unique, given-up enrolments are forgotten, and ten factors are enough', async () => {
  const { access_token: token } = await wire.enter(newEmail())
  await enrol(token)
  const again = await wire.call('POST', '/factors', { token, body: { factor_type: 'totp' } })
  expect([again.status, again.body.code]).toEqual([422, 'mfa_factor_name_conflict'])
  testApp.clock.advance(300_000)
  await enrol(token)
  for (let count = 1; count < 10; count++) await enrol(token, { friendly_name: `phone ${count}` })
  const eleventh = await wire.call('POST', '/factors', {
    token,
    body: { factor_type: 'totp', friendly_name: 'one more' },
  })
  expect([eleventh.status, eleventh.body.code]).toEqual([422, 'too_many_enrolled_mfa_factors'])
})

test('at aal1 a second factor is neither enrolled nor is the first removed, nor the user changed', async () => {
  const { email, factor } = await personWithFactor()
  const { access_token: token } = await wire.enter(email)
  const refusals = [
    await wire.call('POST', '/factors', { token, body: { factor_type: 'totp', friendly_name: 'mine' } }),
    await wire.call('DELETE', `/factors/${factor.id}`, { token }),
    await wire.call('PUT', '/user', { token, body: { data: { a: 1 } } }),
  ]
  expect(refusals.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'insufficient_aal'],
    [422, 'insufficient_aal'],
    [401, 'insufficient_aal'],
  ])
  expect((await wire.user(token)).status).toBe(200)
  expect((await wire.signOut(token)).status).toBe(204)
})

test('a removed factor lowers the sessions it confirmed, and asks nobody any more', async () => {
  const { email, factor, tokens } = await personWithFactor()
  const removed = await wire.call('DELETE', `/factors/${factor.id}`, { token: tokens.access_token })
  expect([removed.status, removed.body]).toEqual([200, { id: factor.id }])
  const lowered = await wire.refresh(tokens.refresh_token)
  const claims = decodeJwt(String(lowered.body.access_token))
  expect(claims).toMatchObject({ aal: 'aal1', amr: [{ method: 'otp' }] })
  expect(claims.amr).toHaveLength(1)
  expect((lowered.body.user as { factors: unknown[] }).factors).toEqual([])
  expect((await askProduct((await wire.enter(email)).access_token)).statusCode).toBe(200)
  expect((await wire.call('DELETE', `/factors/${factor.id}`, { token: tokens.access_token })).status).toBe(
    404,
  )
})

test('a stranger cannot touch a factor', async () => {
  const { factor } = await personWithFactor()
  const { access_token: token } = await wire.enter(newEmail())
  expect((await wire.call('POST', `/factors/${factor.id}/challenge`, { token })).status).toBe(404)
  expect((await wire.call('DELETE', `/factors/${factor.id}`, { token })).status).toBe(404)
})
