import { decodeJwt } from 'jose'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { authWire } from '../../../test/sign-in/auth-wire.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'

/** Three bytes each, one character. */
const WIDE = '€'

test('metadata that a stranger sends along with an address are stored nowhere, and its owner can use the account', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const email = 'owner@example.com'
  const asked = await wire.otp(email, { data: { fat: WIDE.repeat(4080) } })
  expect([asked.status, asked.text]).toEqual([200, '{}'])
  expect((await wire.call('POST', '/resend', { body: { email, type: 'signup' } })).status).toBe(200)
  const [mail] = await deliverSignInMails(testApp)
  const { body } = await wire.verify(email, mail?.code ?? '')
  expect(body.user).toMatchObject({ user_metadata: { email_verified: true } })
  expect(JSON.stringify(body)).not.toContain(WIDE)

  const token = String(body.access_token)
  // Over a socket, where headers have a limit (16 KiB; 431 beyond).
  const origin = await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  const headers = { authorization: `Bearer ${token}` }
  expect((await fetch(`${origin}/v1/accounts/configuration`, { headers })).status).toBe(200)
  expect((await fetch(`${origin}/auth/v1/logout`, { method: 'POST', headers })).status).toBe(204)
})

test('an access token does not grow with the metadata of its user', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  const { access_token, refresh_token } = await wire.enter('ada@example.com')
  const data = { biography: WIDE.repeat(600) }
  expect((await wire.call('PUT', '/user', { token: access_token, body: { data } })).status).toBe(200)
  const { body } = await wire.refresh(refresh_token)
  expect(body.user).toMatchObject({ user_metadata: data })
  expect(decodeJwt(String(body.access_token))).not.toHaveProperty('user_metadata')
  expect(String(body.access_token).length).toBe(access_token.length)
})

test('the metadata of a user take 2,048 bytes and not one more, however few characters they are', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const { token } = await signIn(testApp)
  const put = (a: string) => authWire(testApp).call('PUT', '/user', { token, body: { data: { a } } })
  // {"a":""} are eight.
  const full = WIDE.repeat(680)
  const over = await put(`${full}x`)
  expect([over.status, over.body.code]).toEqual([400, 'validation_failed'])
  expect((await put(full)).body.user_metadata).toEqual({ a: full })
  expect((await put(WIDE.repeat(681))).status).toBe(400)
})
