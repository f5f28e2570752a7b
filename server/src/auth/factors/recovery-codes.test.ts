import { endpoints } from '@tradepost/contract/endpoints'
import { readRecoveryCode } from '@tradepost/contract/typed-code'
import { decodeJwt } from 'jose'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../../../test/build-test-app.ts'
import { takeMails } from '../../../test/run-outbox.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { drawRecoveryCodes } from './recovery-codes.ts'
import { removeLostFactors } from './remove-lost-factors.ts'

const MINUTE_MS = 60_000

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
const person = secondFactor(testApp, wire)
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))
let address = 0

function newEmail(): string {
  address += 1
  return `recover-${address}@example.com`
}

async function ask(token: string, { method, path }: { method: 'GET' | 'POST'; path: string }) {
  const answer = await testApp.app.inject({ method, url: path, headers: bearer(token) })
  return { status: answer.statusCode, body: answer.json() }
}

const make = (token: string) => ask(token, endpoints.makeRecoveryCodes)
const leftOf = async (token: string) => (await ask(token, endpoints.secondStep)).body.recoveryCodesLeft

/** Somebody with a confirmed factor and ten codes. */
async function personWithCodes() {
  const email = newEmail()
  const { session, factor } = await person.join(email)
  const { status, body } = await make(session.access_token)
  expect(status).toBe(201)
  return { email, factor, token: session.access_token, codes: body.codes as string[] }
}

/** Runs the waiting mails of recovery codes. */
async function mailsOfUse() {
  const mails = await takeMails(testApp, ['recovery_code_used'])
  return mails.map(({ to, facts }) => ({ to, facts }))
}

test('ten different codes are shown once, and stored as keyed hashes', async () => {
  const { token, codes } = await personWithCodes()
  expect(new Set(codes).size).toBe(10)
  for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/)
  expect(await ask(token, endpoints.secondStep)).toEqual({
    status: 200,
    body: { mailedCodeDue: false, recoveryCodesLeft: 10 },
  })
  const rows = await testApp.db.selectFrom('recovery_codes').selectAll().execute()
  const text = JSON.stringify(rows) + rows.map(({ code_hmac }) => code_hmac.toString('latin1')).join()
  for (const code of codes) {
    expect(text).not.toContain(code)
    expect(text).not.toContain(code.replace('-', ''))
  }
})

test('ten codes each sign in once in the place of the authenticator, and the owner is mailed about the use', {
  tags: ['AUTH-31'],
}, async () => {
  const { email, factor, codes } = await personWithCodes()
  expect(new Set(codes).size).toBe(10)
  const [first = '', second = ''] = codes
  const { access_token: token } = await wire.enter(email)
  const raised = await person.answer(token, factor.id, ` ${first.toLowerCase().replace('-', ' ')} `)
  expect(raised.status, raised.text).toBe(200)
  const newToken = String(raised.body.access_token)
  expect(decodeJwt(newToken)).toMatchObject({
    aal: 'aal2',
    amr: [{ method: 'mfa/recovery_code' }, { method: 'otp' }],
  })
  expect(await leftOf(newToken)).toBe(9)
  expect(await mailsOfUse()).toEqual([
    {
      to: email,
      facts: {
        left: 9,
        at: '2026-03-04T15:00:00.000Z',
        from: { device: 'Another program', network: 'local' },
      },
    },
  ])
  const { access_token: later } = await wire.enter(email)
  const again = await person.answer(later, factor.id, first)
  expect([again.status, again.body.code]).toEqual([422, 'mfa_verification_failed'])
  expect(await mailsOfUse()).toEqual([])
  expect((await person.answer(later, factor.id, second)).status).toBe(200)
  // Every other session at aal1 ends, as with the authenticator's code; the factor goes on working.
  testApp.clock.advance(30_000)
  await person.confirm((await wire.enter(email)).access_token, factor)
})

test('of twenty uses of one code at once one counts', async () => {
  const { email, factor, codes } = await personWithCodes()
  const { access_token: token } = await wire.enter(email)
  const ids = await Promise.all(
    Array.from({ length: 20 }, () =>
      wire.call('POST', `/factors/${factor.id}/challenge`, { token, body: {} }),
    ),
  )
  const answers = await Promise.all(
    ids.map(({ body }) =>
      wire.call('POST', `/factors/${factor.id}/verify`, {
        token,
        body: { challenge_id: body.id, code: codes[0] },
      }),
    ),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  expect((await mailsOfUse()).filter(({ to }) => to === email)).toHaveLength(1)
})

test('a code of another person signs in nobody, and no code turns a factor on', async () => {
  const mine = await personWithCodes()
  const theirs = await personWithCodes()
  const { access_token: token } = await wire.enter(theirs.email)
  const refused = await person.answer(token, theirs.factor.id, mine.codes[0] ?? '')
  expect(refused.body.code).toBe('mfa_verification_failed')
  const begun = await person.enrol(mine.token, 'tablet')
  expect((await person.answer(mine.token, begun.id, mine.codes[0] ?? '')).body.code).toBe(
    'mfa_verification_failed',
  )
  expect(await leftOf(mine.token)).toBe(10)
})

test('new codes end the earlier ones, and take a fresh session as turning the factor off does', async () => {
  const { email, factor, token, codes } = await personWithCodes()
  testApp.clock.advance(5 * MINUTE_MS + 1)
  const { status, body } = await make(token)
  expect([status, body.code, body.message]).toEqual([
    409,
    'reauthentication_needed',
    'Confirm with a code from your e-mail first.',
  ])
  await person.reauthenticate(token)
  const again = await make(token)
  expect(again.status).toBe(201)
  expect(again.body.codes.filter((code: string) => codes.includes(code))).toEqual([])
  expect(await leftOf(token)).toBe(10)
  const { access_token: other } = await wire.enter(email)
  expect((await person.answer(other, factor.id, codes[0] ?? '')).status).toBe(422)
  expect((await person.answer(other, factor.id, again.body.codes[0])).status).toBe(200)
})

test('recovery codes go with the last factor, removed by its owner or by the operator', async () => {
  const { email, factor, token } = await personWithCodes()
  testApp.clock.advance(30_000)
  const { access_token: both } = await person.confirm(token, await person.enrol(token, 'tablet'))
  expect((await person.remove(both, factor)).status).toBe(200)
  expect(await leftOf(both)).toBe(10)
  const deps = { db: testApp.db, secret: makeSecretKey(testApp.settings.authSecret) }
  expect(await removeLostFactors(deps, email, testApp.clock.now())).toBe(1)
  expect(await leftOf((await wire.enter(email)).access_token)).toBe(0)
  const { body } = await make((await wire.enter(email)).access_token)
  expect([body.code, body.message]).toEqual(['second_factor_off', 'Set up two-step verification first.'])

  const own = await personWithCodes()
  expect((await person.remove(own.token, own.factor)).status).toBe(200)
  expect(await leftOf((await wire.enter(own.email)).access_token)).toBe(0)
})

test('a code outlives a rotation of AUTH_SECRET, until the earlier secret is taken out', async () => {
  const { email, factor, codes } = await personWithCodes()
  const { access_token: token } = await wire.enter(email)
  const rotated = (authSecret: string) =>
    buildTestApp({ settings: { limitsOn: false, authSecret }, clock: testApp.clock, database: testApp })
  const newer = 'a secret of the tests that is newer than the other'
  await using both = await rotated(`${newer},${testApp.settings.authSecret}`)
  const raised = await secondFactor(both, authWire(both)).answer(token, factor.id, codes[0] ?? '')
  expect(raised.status, raised.text).toBe(200)
  const codesLeft = async (app: typeof testApp) => {
    const answer = await app.app.inject({
      url: endpoints.secondStep.path,
      headers: bearer(String(raised.body.access_token)),
    })
    return answer.json().recoveryCodesLeft
  }
  expect(await codesLeft(both)).toBe(9)
  await using alone = await rotated(newer)
  expect(await codesLeft(alone)).toBe(0)
})

test('a typed code is read without regard to case, spaces, dashes and letters that look like digits', () => {
  expect(readRecoveryCode(' o1il0-abcde ')).toBe('01110ABCDE')
  expect(readRecoveryCode('123456')).toBeNull()
  expect(readRecoveryCode('ABCDE-FGHJU')).toBeNull()
  expect(drawRecoveryCodes()).toHaveLength(10)
})
