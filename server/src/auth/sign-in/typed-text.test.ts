import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { deliverAccountCodes } from '../../../test/sign-in/account-codes.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { secondFactor } from '../../../test/sign-in/second-factor.ts'
import { bearer } from '../../../test/sign-in/sign-in.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

/*
 * Text that a client of the wire sends as it was typed or pasted. Limits of networks and of time are off; the counts of tries are not.
 */
const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
const person = secondFactor(testApp, wire)
afterAll(testApp.close)

/** None of them can be a code of six digits. */
const IMPOSSIBLE = [
  '1',
  '12345',
  '1234567',
  'abcdef',
  '------',
  '123456 654321',
  ' ',
  'code',
  '12 34 5',
  '0x1234',
  '½',
  '1e5',
]
const arabic = (code: string) => code.replaceAll(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))
const wide = (code: string) => code.replaceAll(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))

test('a text that cannot be a code is answered as a wrong one, and costs no try', async () => {
  const { code } = await wire.mailTo('ada@example.com')
  for (const token of IMPOSSIBLE) {
    const { status, body } = await wire.verify('ada@example.com', token)
    expect([status, body.code], token).toEqual([403, 'otp_expired'])
  }
  const counted = await testApp.pool.query(
    "select cardinality(wrong_at) as wrong from sign_in_addresses where email = 'ada@example.com'",
  )
  expect(counted.rows).toEqual([{ wrong: 0 }])
  expect((await wire.verify('ada@example.com', code)).status).toBe(200)
})

test('a mailed code is taken in every form in which a person sees it', async () => {
  const forms: ((code: string) => string)[] = [
    (code) => `Your code is ${code}`,
    (code) => ` ${code.slice(0, 3)}-${code.slice(3)}\n`,
    (code) => `\u200b${wide(code)}\u2060`,
    arabic,
  ]
  for (const form of forms) {
    const { code } = await wire.mailTo('ada@example.com')
    expect((await wire.verify('ada@example.com', form(code))).status, form('123456')).toBe(200)
  }
})

test('an authenticator’s code and a recovery code are taken alike, and what can be neither costs no try', async () => {
  const { factor, session } = await person.join('both@example.com')
  const made = await testApp.app.inject({
    method: 'POST',
    url: endpoints.makeRecoveryCodes.path,
    headers: bearer(session.access_token),
    payload: {},
  })
  const [first = ''] = made.json().codes as string[]
  const { access_token: token } = await wire.enter('both@example.com')
  testApp.clock.advance(30_000)
  for (const code of IMPOSSIBLE) {
    const { status, body } = await person.answer(token, factor.id, code)
    expect([status, body.code], code).toEqual([422, 'mfa_verification_failed'])
  }
  const counted = await testApp.pool.query(
    'select cardinality(wrong_at) as wrong from mfa_factors where id = $1',
    [factor.id],
  )
  expect(counted.rows).toEqual([{ wrong: 0 }])
  expect((await person.answer(token, factor.id, `Code: ${wide(person.codeOf(factor))}`)).status).toBe(200)
  const { access_token: next } = await wire.enter('both@example.com')
  const typed = ` ${first.toLowerCase().replace('-', ' – ')}\u200b`
  expect((await person.answer(next, factor.id, typed)).status).toBe(200)
})

test('the code that an account mails is read in the same way', async () => {
  const { access_token: token } = await wire.enter('account@example.com')
  expect((await person.askForCode(token)).status).toBe(200)
  const [mail] = await deliverAccountCodes(testApp)
  for (const code of IMPOSSIBLE.filter((text) => text.trim() !== '')) {
    expect((await person.giveCode(token, code)).body.code, code).toBe('reauthentication_not_valid')
  }
  expect((await person.giveCode(token, `It is ${arabic(mail?.code ?? '')}.`)).status).toBe(200)
})

test('an address is one address at every call, however it was typed', async () => {
  const { user } = await wire.enter('kunde@xn--bcher-kva.example')
  expect(user.email).toBe('kunde@xn--bcher-kva.example')
  const typed = [
    '<kunde@BÜCHER.example>',
    'mailto:kunde@xn--bcher-kva.example',
    'ｋｕｎｄｅ＠bücher.example.',
    '\u200bkunde@bücher。example,',
  ]
  for (const email of typed) {
    expect((await wire.otp(email)).status, email).toBe(200)
    const [mail] = await deliverSignInMails(testApp)
    expect(mail?.to, email).toBe('kunde@xn--bcher-kva.example')
    const answer = await wire.verify(email, mail?.code ?? '')
    expect((answer.body as { user?: { id: string } }).user?.id, email).toBe(user.id)
  }
  for (const path of ['/recover', '/resend']) {
    const body = { email: ' Kunde @ bücher.example ', type: 'signup' }
    expect((await wire.call('POST', path, { body })).status, path).toBe(200)
    expect(
      (await deliverSignInMails(testApp)).map(({ to }) => to),
      path,
    ).toEqual(['kunde@xn--bcher-kva.example'])
  }
})

test('an address that mail cannot go to is refused with the reason, and nothing is stored', async () => {
  const message = 'Mails can go only to an address with plain letters, without accents, before the @.'
  for (const email of ['jörg@example.com', '用户@例え.テスト']) {
    const { status, body } = await wire.otp(email)
    expect([status, body], email).toEqual([
      422,
      {
        code: 'email_address_invalid',
        error_code: 'email_address_invalid',
        message,
        fields: { email: message },
      },
    ])
  }
  for (const email of ['ada@bücher.example/x', 'ada@b ücher.example', 'Ada <ada>']) {
    expect((await wire.otp(email)).body.code, email).toBe('validation_failed')
  }
  expect(await deliverSignInMails(testApp)).toEqual([])
})
