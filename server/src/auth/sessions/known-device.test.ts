import { KNOWN_DEVICE_HEADER } from '@tradepost/contract/auth'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { authWire, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../../../test/sign-in/authenticator.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { askerOf, makeDeviceProof } from './known-device.ts'

const EMAIL = 'ada@example.com'
const HOUR_MS = 3_600_000
const YEAR_MS = 365 * 86_400_000
const NOW = new Date('2026-03-04T15:00:00.000Z')

/** An app in which a device has signed in as Ada, more than an hour ago. */
async function openWithDevice(limits: { codeSpacingSeconds: number } = { codeSpacingSeconds: 0 }) {
  const testApp = await buildTestApp({ settings: limits })
  const wire = authWire(testApp)
  const { device } = await wire.enterAgain(EMAIL)
  testApp.clock.advance(HOUR_MS)
  /** As the device asks, or as strangers do, each from a separate network. */
  let strangers = 0
  const ask = (options: { device?: string } = {}) =>
    wire.call('POST', '/otp', { body: { email: EMAIL }, ip: `10.0.0.${++strangers}`, ...options })
  const guess = (token: string, options: { device?: string } = {}) =>
    wire.call('POST', '/verify', {
      body: { email: EMAIL, token, type: 'email' },
      ip: `10.0.1.${++strangers}`,
      ...options,
    })
  return { testApp, wire, device, ask, guess, [Symbol.asyncDispose]: () => testApp.close() }
}

test('strangers who use up the mails of an address leave its devices theirs, and the other way round', async () => {
  await using stage = await openWithDevice()
  const { ask, device } = stage
  for (let sent = 0; sent < 5; sent++) expect((await ask()).status).toBe(200)
  expect((await ask()).status).toBe(429)
  for (let sent = 0; sent < 5; sent++) expect((await ask({ device })).status).toBe(200)
  const sixth = await ask({ device })
  expect([sixth.status, sixth.body.code, sixth.headers['retry-after']]).toEqual([
    429,
    'over_email_send_rate_limit',
    '3600',
  ])
})

test('the minute between two mails is counted apart too', async () => {
  await using stage = await openWithDevice({ codeSpacingSeconds: 60 })
  const { ask, device, testApp } = stage
  expect((await ask()).status).toBe(200)
  expect((await ask({ device })).status).toBe(200)
  expect((await ask({ device })).headers['retry-after']).toBe('60')
  testApp.clock.advance(60_000)
  expect((await ask({ device })).status).toBe(200)
})

test('wrong codes of strangers end neither the code nor the hour of a device that is known', async () => {
  await using stage = await openWithDevice()
  const { ask, guess, device, testApp } = stage
  let code = ''
  // Ten an hour for everybody else: five of a code, twice.
  for (let mail = 0; mail < 2; mail++) {
    await ask()
    code = (await deliverSignInMails(testApp))[0]?.code ?? ''
    for (let tried = 0; tried < 5; tried++) expect((await guess(wrongCode(code))).status).toBe(403)
  }
  expect((await guess(code)).status).toBe(403)
  for (let tried = 0; tried < 4; tried++) expect((await guess(wrongCode(code), { device })).status).toBe(403)
  expect((await guess(code, { device })).status).toBe(200)
})

test('a known device has five tries a code and ten an hour, which a right one does not use up', async () => {
  await using stage = await openWithDevice()
  const { ask, guess, device, testApp } = stage
  const newCode = async () => {
    await ask({ device })
    return (await deliverSignInMails(testApp))[0]?.code ?? ''
  }
  expect((await guess(await newCode(), { device })).status).toBe(200)
  for (let mail = 0; mail < 2; mail++) {
    const code = await newCode()
    for (let tried = 0; tried < 5; tried++) await guess(wrongCode(code), { device })
    expect((await guess(code, { device })).status).toBe(403)
  }
  const code = await newCode()
  expect((await guess(code, { device })).status).toBe(403)
  // Everybody else's are untouched by it.
  expect((await guess(code)).status).toBe(200)
})

test('every way of signing in makes a device known, and what makes it known opens nothing', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const { device, session } = await wire.enterAgain(EMAIL)
  expect(device).toMatch(/^[\w-]{63}$/)
  const { tokenHash } = await wire.mailTo(EMAIL)
  expect((await wire.verifyLink(tokenHash)).headers[KNOWN_DEVICE_HEADER]).toMatch(/^[\w-]{63}$/)
  expect((await wire.refresh(session.refresh_token)).headers).not.toHaveProperty(KNOWN_DEVICE_HEADER)

  expect((await wire.user(device)).status).toBe(403)
  expect((await wire.refresh(device)).status).toBe(400)
  expect((await wire.verifyLink(device)).status).toBe(403)
  expect(
    (await wire.call('POST', '/verify', { body: { email: EMAIL, token: device, type: 'email' } })).status,
  ).toBe(403)
  const refused = await wire.call('POST', '/verify', {
    body: { email: EMAIL, token: '000000', type: 'email' },
    device,
  })
  expect([refused.status, refused.headers[KNOWN_DEVICE_HEADER]]).toEqual([403, undefined])
})

test('where a second factor is due, a device is known once it was given', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const { session } = await wire.enterAgain(EMAIL)
  const token = session.access_token
  const enrolled = await wire.call('POST', '/factors', { token, body: { factor_type: 'totp' } })
  const { id, totp } = enrolled.body as unknown as { id: string; totp: { secret: string } }
  const confirm = async (bearer: string) => {
    const { body } = await wire.call('POST', `/factors/${id}/challenge`, { token: bearer })
    const code = authenticatorCode(totp.secret, testApp.clock.now())
    return wire.call('POST', `/factors/${id}/verify`, {
      token: bearer,
      body: { challenge_id: body.id, code },
    })
  }
  expect((await confirm(token)).status).toBe(200)
  testApp.clock.advance(30_000)
  const { code } = await wire.mailTo(EMAIL)
  const half = await wire.verify(EMAIL, code)
  expect([half.status, half.headers[KNOWN_DEVICE_HEADER]]).toEqual([200, undefined])
  const whole = await confirm(String(half.body.access_token))
  expect([whole.status, whole.headers[KNOWN_DEVICE_HEADER]]).toEqual([
    200,
    expect.stringMatching(/^[\w-]{84}$/),
  ])
})

test('a device is known to one address, for a year, and while its secret is', () => {
  const old = makeSecretKey('the old secret of the tests, 32 chars')
  const proof = makeDeviceProof(old, { email: EMAIL }, NOW)
  expect(askerOf(old, proof, { email: EMAIL }, NOW)).toBe('known device')
  expect(askerOf(old, proof, { email: 'eve@example.com' }, NOW)).toBe('anybody')
  expect(askerOf(old, proof, { email: EMAIL }, new Date(NOW.getTime() + YEAR_MS - 1000))).toBe('known device')
  expect(askerOf(old, proof, { email: EMAIL }, new Date(NOW.getTime() + YEAR_MS))).toBe('anybody')

  const rotated = makeSecretKey('a new secret of the tests, 32 chars!,the old secret of the tests, 32 chars')
  const dropped = makeSecretKey('a new secret of the tests, 32 chars!')
  expect(askerOf(rotated, proof, { email: EMAIL }, NOW)).toBe('known device')
  expect(askerOf(dropped, proof, { email: EMAIL }, NOW)).toBe('anybody')
})

test('the proof that a device has passed a second factor counts at sign-in and at that factor alone, bit for bit', () => {
  const secret = makeSecretKey('the old secret of the tests, 32 chars')
  const factorId = '019ab0f0-0000-7000-8000-000000000001'
  const passed = makeDeviceProof(secret, { email: EMAIL, factorId }, NOW)
  const askerAt = (proof: string, id?: string, email = EMAIL) =>
    askerOf(secret, proof, { email, ...(id && { factorId: id }) }, NOW)
  expect(askerAt(passed)).toBe('known device')
  expect(askerAt(passed, factorId.toUpperCase())).toBe('known device')
  expect(askerAt(passed, '019ab0f0-0000-7000-8000-000000000002')).toBe('anybody')
  expect(askerAt(passed, factorId, 'eve@example.com')).toBe('anybody')
  const signedIn = makeDeviceProof(secret, { email: EMAIL }, NOW)
  expect([askerAt(signedIn), askerAt(signedIn, factorId)]).toEqual(['known device', 'anybody'])
  const bytes = Buffer.from(passed, 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const other = Buffer.from(bytes)
    other[at] = (other[at] ?? 0) ^ 1
    expect(askerAt(other.toString('base64url'), factorId), String(at)).toBe('anybody')
    expect(askerAt(other.toString('base64url')), String(at)).toBe('anybody')
  }
})

test('a device that shows anything else is treated as an unknown one', async () => {
  const secret = makeSecretKey('the old secret of the tests, 32 chars')
  const proof = Buffer.from(makeDeviceProof(secret, { email: EMAIL }, NOW), 'base64url')
  const bent = Array.from(proof, (byte, at) => {
    const other = Buffer.from(proof)
    other[at] = byte ^ 1
    return other.toString('base64url')
  })
  for (const shown of [undefined, '', 'x', 'x'.repeat(63), [proof.toString('base64url')], ...bent]) {
    expect(askerOf(secret, shown, { email: EMAIL }, NOW)).toBe('anybody')
  }
  await using stage = await openWithDevice()
  for (let sent = 0; sent < 5; sent++) expect((await stage.ask({ device: 'ünknown' })).status).toBe(200)
  expect((await stage.ask({ device: 'nonsense' })).status).toBe(429)
})
