import { authSession } from '@tradepost/contract/auth'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../../test/build-test-app.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

let testApp: TestApp
let wire: ReturnType<typeof authWire>
let address = 0

/** Limits by network are off here: they have a separate test. */
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

const expired = {
  code: 'otp_expired',
  error_code: 'otp_expired',
  message: 'Token has expired or is invalid',
}

test('a new address gets a code, and the code a session', {
  tags: ['LOGIN-03', 'LOGIN-07', 'LOGIN-09', 'AUTH-01', 'AUTH-20', 'AUTH-21'],
}, async () => {
  const email = newEmail()
  const asked = await wire.otp(email)
  expect([asked.status, asked.text]).toEqual([200, '{}'])
  expect(await testApp.db.selectFrom('users').where('email', '=', email).selectAll().execute()).toEqual([])
  const [mail] = await deliverSignInMails(testApp)
  expect(mail).toMatchObject({ to: email, code: expect.stringMatching(/^\d{6}$/) })
  expect(mail?.link).toMatch(/^http:\/\/localhost:3000\/login#token_hash=[\w-]{43}&type=email$/)

  const { status, body, headers } = await wire.verify(email, mail?.code ?? '')
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('no-store')
  const session = authSession.parse(body)
  const issuedAt = TEST_NOW.getTime() / 1000
  expect(session).toMatchObject({
    token_type: 'bearer',
    expires_in: 3600,
    expires_at: issuedAt + 3600,
    user: { email, aud: 'authenticated', role: 'authenticated', last_sign_in_at: TEST_NOW.toISOString() },
  })
  expect(decodeJwt(session.access_token)).toMatchObject({
    iss: 'http://localhost:3000/auth/v1',
    sub: session.user.id,
    aud: 'authenticated',
    iat: issuedAt,
    exp: issuedAt + 3600,
    email,
    phone: '',
    role: 'authenticated',
    aal: 'aal1',
    amr: [{ method: 'otp', timestamp: issuedAt }],
    session_id: expect.any(String),
    is_anonymous: false,
  })
})

test('the user has an e-mail, identities and factors, and a factor its type and status', {
  tags: ['AUTH-02'],
}, async () => {
  const { access_token, user } = await wire.enter(newEmail())
  const answer = await wire.user(access_token)
  expect(answer.status).toBe(200)
  expect(answer.body).toEqual(user)
  expect(answer.body).toMatchObject({
    identities: [
      { provider: 'email', id: user.id, identity_data: { email: user.email, email_verified: true } },
    ],
    factors: [],
    app_metadata: { provider: 'email', providers: ['email'] },
  })
  const enrolled = await wire.call('POST', '/factors', {
    token: access_token,
    body: { factor_type: 'totp' },
  })
  expect(enrolled.status).toBe(200)
  expect((await wire.user(access_token)).body.factors).toMatchObject([
    { factor_type: 'totp', status: 'unverified' },
  ])
})

test('the second sign-in finds the same user, however the address is written', async () => {
  const first = await wire.enter('Ada.Lovelace@Example.com')
  testApp.clock.advance(60_000)
  const second = await wire.enter(' ada.lovelace@example.COM ')
  expect(second.user.id).toBe(first.user.id)
  expect(second.user.email).toBe('ada.lovelace@example.com')
  expect(second.user.identities).toHaveLength(1)
})

test('a code works once, for ten minutes, after fewer than five wrong tries, and only the newest', {
  tags: ['LOGIN-13'],
}, async () => {
  const email = newEmail()
  const { code } = await wire.mailTo(email)
  expect((await wire.verify(email, ` ${code.slice(0, 3)} ${code.slice(3)} `)).status).toBe(200)
  const again = await wire.verify(email, code)
  expect([again.status, again.body]).toEqual([403, expired])
  expect(again.headers['x-sb-error-code']).toBe('otp_expired')

  const late = await wire.mailTo(email)
  testApp.clock.advance(10 * 60_000)
  expect((await wire.verify(email, late.code)).body).toEqual(expired)

  const replaced = await wire.mailTo(email)
  const newest = await wire.mailTo(email)
  if (replaced.code !== newest.code) expect((await wire.verify(email, replaced.code)).status).toBe(403)
  expect((await wire.verify(email, newest.code)).status).toBe(200)

  const guessed = await wire.mailTo(newEmail())
  for (let wrong = 0; wrong < 5; wrong++) {
    expect((await wire.verify(guessed.to, wrongCode(guessed.code))).body).toEqual(expired)
  }
  expect((await wire.verify(guessed.to, guessed.code)).body).toEqual(expired)
})

test('a code lives for ten minutes, the link for thirty', async () => {
  const email = newEmail()
  const { code, tokenHash } = await wire.mailTo(email)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 10 * 60_000))
  expect((await wire.verify(email, code)).status).toBe(403)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 30 * 60_000))
  expect((await wire.verifyLink(tokenHash)).status).toBe(403)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 30 * 60_000 - 1))
  expect((await wire.verifyLink(tokenHash)).status).toBe(200)

  testApp.clock.set(TEST_NOW)
  const other = newEmail()
  const mail = await wire.mailTo(other)
  testApp.clock.set(new Date(TEST_NOW.getTime() + 10 * 60_000 - 1))
  expect((await wire.verify(other, mail.code)).status).toBe(200)
})

test('only the newest mail works', async () => {
  const email = newEmail()
  const old = await wire.mailTo(email)
  const fresh = await wire.mailTo(email)
  expect((await wire.verifyLink(old.tokenHash)).status).toBe(403)
  if (old.code !== fresh.code) expect((await wire.verify(email, old.code)).status).toBe(403)
  expect((await wire.verify(email, fresh.code)).status).toBe(200)
})

test('the link dies with the code that was used, and the code with the link', async () => {
  const email = newEmail()
  const first = await wire.mailTo(email)
  expect((await wire.verify(email, first.code)).status).toBe(200)
  expect((await wire.verifyLink(first.tokenHash)).status).toBe(403)
  const second = await wire.mailTo(email)
  expect((await wire.verifyLink(second.tokenHash)).status).toBe(200)
  expect((await wire.verify(email, second.code)).status).toBe(403)
})

test('after five wrong tries the right code is dead, and the link is not', async () => {
  const email = newEmail()
  const { code, tokenHash } = await wire.mailTo(email)
  for (let wrong = 0; wrong < 5; wrong++) {
    expect((await wire.verify(email, wrongCode(code))).body).toEqual(expired)
  }
  expect((await wire.verify(email, code)).body).toEqual(expired)
  expect((await wire.verifyLink(tokenHash)).status).toBe(200)
})

test('the right code after four wrong tries still works', async () => {
  const email = newEmail()
  const { code } = await wire.mailTo(email)
  for (let wrong = 0; wrong < 4; wrong++) await wire.verify(email, wrongCode(code))
  expect((await wire.verify(email, code)).status).toBe(200)
})

test('ten wrong tries an hour hold over all codes of an address, from anywhere', async () => {
  const email = newEmail()
  for (let round = 0; round < 2; round++) {
    const { code } = await wire.mailTo(email)
    for (let wrong = 0; wrong < 5; wrong++) await wire.verify(email, wrongCode(code), `192.0.2.${wrong}`)
  }
  const third = await wire.mailTo(email)
  expect((await wire.verify(email, third.code, '198.51.100.1')).body).toEqual(expired)
  expect((await wire.verifyLink(third.tokenHash)).status).toBe(200)
  testApp.clock.advance(3_600_000)
  const fourth = await wire.mailTo(email)
  expect((await wire.verify(email, fourth.code)).status).toBe(200)
})

test('right codes use up none of the ten tries', async () => {
  const email = newEmail()
  for (let entered = 0; entered < 12; entered++) await wire.enter(email)
})

test('tries at once are counted too: of twenty wrong ones no sixth is compared', async () => {
  const email = newEmail()
  const { code } = await wire.mailTo(email)
  await Promise.all(Array.from({ length: 20 }, () => wire.verify(email, wrongCode(code))))
  const { wrong_tries } = await testApp.db
    .selectFrom('otp_challenges')
    .select('wrong_tries')
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  expect(wrong_tries).toBe(5)
  expect((await wire.verify(email, code)).status).toBe(403)
})

test('of two verifies of one code exactly one gets a session, for 25 rounds', async () => {
  for (let round = 0; round < 25; round++) {
    const email = newEmail()
    const { code, tokenHash } = await wire.mailTo(email)
    const second = round % 2 ? wire.verifyLink(tokenHash) : wire.verify(email, code)
    const answers = await Promise.all([wire.verify(email, code), second])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403])
    const sessions = await testApp.db
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .where('email', '=', email)
      .selectAll('sessions')
      .execute()
    expect(sessions).toHaveLength(1)
  }
})

test('requests and verifies of one address at once end without a fault', async () => {
  const email = newEmail()
  const { code } = await wire.mailTo(email)
  const answers = await Promise.all([
    ...Array.from({ length: 6 }, () => wire.otp(email)),
    ...Array.from({ length: 6 }, () => wire.verify(email, code)),
  ])
  expect(answers.filter(({ status }) => status >= 500)).toEqual([])
})

test('the page learns whose link it is, and nothing is used up', async () => {
  const email = newEmail()
  const { tokenHash } = await wire.mailTo(email)
  for (let look = 0; look < 2; look++) {
    const answer = await wire.call('POST', '/link', { body: { token_hash: tokenHash } })
    expect([answer.status, answer.body]).toEqual([200, { email }])
  }
  expect((await wire.verifyLink(tokenHash)).status).toBe(200)
  const after = await wire.call('POST', '/link', { body: { token_hash: tokenHash } })
  expect([after.status, after.body.code]).toEqual([403, 'otp_expired'])
})

test('a code is worth nothing for another address or purpose', async () => {
  const email = newEmail()
  const other = newEmail()
  const { code } = await wire.mailTo(email)
  await wire.mailTo(other)
  const recovery = await wire.call('POST', '/verify', { body: { email, token: code, type: 'recovery' } })
  expect(recovery.body).toEqual(expired)
  const { code_hmac } = await testApp.db
    .selectFrom('otp_challenges')
    .selectAll()
    .where('email', '=', email)
    .executeTakeFirstOrThrow()
  await testApp.db.updateTable('otp_challenges').set({ code_hmac }).where('email', '=', other).execute()
  expect((await wire.verify(other, code)).body).toEqual(expired)
})

test('a sign-in kills whatever else was mailed to the address', async () => {
  const email = newEmail()
  const other = await wire.mailTo(email)
  await testApp.db
    .updateTable('otp_challenges')
    .set({ purpose: 'recovery' })
    .where('email', '=', email)
    .execute()
  await wire.enter(email)
  const answer = await wire.call('POST', '/verify', {
    body: { token_hash: other.tokenHash, type: 'recovery' },
  })
  expect([answer.status, answer.body.code]).toEqual([403, 'otp_expired'])
})

test('a suspended person with the right code reads so, and the code is used up', async () => {
  const email = newEmail()
  const { user } = await wire.enter(email)
  const { code } = await wire.mailTo(email)
  await testApp.db.updateTable('users').set({ suspended_at: TEST_NOW }).where('id', '=', user.id).execute()
  const answer = await wire.verify(email, code)
  expect([answer.status, answer.body.code]).toEqual([403, 'user_banned'])
  await testApp.db.updateTable('users').set({ suspended_at: null }).where('id', '=', user.id).execute()
  expect((await wire.verify(email, code)).status).toBe(403)
})
