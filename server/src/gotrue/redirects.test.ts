import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW, type TestApp } from '../../test/build-test-app.ts'
import { runPurges } from '../../test/run-purges.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../test/sign-in/sign-in-mails.ts'

let testApp: TestApp
let wire: ReturnType<typeof authWire>
let address = 0

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(TEST_NOW))

const home = 'http://localhost:3000/'

/** A mail to a new address. @param verifier of a client that wants a code instead of tokens */
async function mailFor(verifier: string | null, path = '/otp') {
  address += 1
  const email = `person-${address}@example.com`
  const challenge = verifier && createHash('sha256').update(verifier).digest('base64url')
  if (path === '/recover') await wire.enter(email)
  const body = { email, ...(challenge && { code_challenge: challenge, code_challenge_method: 's256' }) }
  expect((await wire.call('POST', path, { body })).status).toBe(200)
  const [mail] = await deliverSignInMails(testApp)
  if (!mail) throw new Error('no mail')
  return { email, ...mail }
}

async function open(parameters: Record<string, string>, method: 'GET' | 'HEAD' = 'GET') {
  const answer = await wire.call(method, `/verify?${new URLSearchParams(parameters)}`)
  const location = new URL(String(answer.headers.location ?? 'none:'))
  const fragment = Object.fromEntries(new URLSearchParams(location.hash.slice(1)))
  return { ...answer, location, fragment }
}

test('a link opened by redirect brings tokens in the fragment, in the order of the alphabet, once', async () => {
  const { tokenHash, email } = await mailFor(null)
  const redirect_to = `${home}welcome?from=mail#old`
  const opened = await open({ token: tokenHash, type: 'magiclink', redirect_to })
  expect([opened.status, opened.headers['cache-control'], opened.text]).toEqual([303, 'no-store', ''])
  expect(opened.location.href.split('#')[0]).toBe(`${home}welcome?from=mail`)
  expect([...new URLSearchParams(opened.location.hash.slice(1)).keys()]).toEqual([
    'access_token',
    'expires_at',
    'expires_in',
    'refresh_token',
    'sb',
    'token_type',
    'type',
  ])
  expect(opened.fragment).toMatchObject({ expires_in: '3600', token_type: 'bearer', type: 'magiclink' })
  expect(decodeJwt(opened.fragment.access_token ?? '')).toMatchObject({ email, aal: 'aal1' })
  expect((await wire.refresh(opened.fragment.refresh_token ?? '')).status).toBe(200)

  const again = await open({ token: tokenHash, type: 'magiclink', redirect_to })
  expect(again.status).toBe(303)
  expect(again.location.href).toBe(
    `${home}welcome?from=mail#error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired&sb=`,
  )
})

test('with a verifier the link brings a code, and the code a session, once', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const { tokenHash, email } = await mailFor(verifier)
  expect(tokenHash).toMatch(/^pkce_[\w-]{43}$/)
  const opened = await open({ token: tokenHash, type: 'signup', redirect_to: `${home}?a=1` })
  expect([opened.status, opened.location.hash]).toEqual([303, ''])
  expect(opened.location.search).toMatch(/^\?a=1&code=[\w-]{36}$/)
  // The address has no user before the code is exchanged.
  expect(await testApp.db.selectFrom('users').where('email', '=', email).selectAll().execute()).toEqual([])
  const exchange = (auth_code: string, code_verifier: string) =>
    wire.call('POST', '/token?grant_type=pkce', { body: { auth_code, code_verifier } })
  const code = opened.location.searchParams.get('code') ?? ''
  const wrong = await exchange(code, 'x'.repeat(43))
  expect([wrong.status, wrong.body.code]).toEqual([400, 'bad_code_verifier'])
  const session = await exchange(code, verifier)
  expect([session.status, session.headers['cache-control']]).toEqual([200, 'no-store'])
  expect(decodeJwt(String(session.body.access_token))).toMatchObject({
    email,
    amr: [{ method: 'email/signup', timestamp: TEST_NOW.getTime() / 1000 }],
  })
  const twice = await exchange(code, verifier)
  expect([twice.status, twice.body.code]).toEqual([404, 'flow_state_not_found'])
  const missing = await wire.call('POST', '/token?grant_type=pkce', { body: { auth_code: code } })
  expect([missing.status, missing.body.code]).toEqual([400, 'validation_failed'])

  const failed = await open({ token: tokenHash, type: 'signup' })
  expect(failed.location.search).toBe(
    '?error=access_denied&error_code=otp_expired&error_description=Email+link+is+invalid+or+has+expired',
  )
  expect(failed.fragment).toMatchObject({ error_code: 'otp_expired', sb: '' })
})

test('a code of a redirect lives for five minutes from its issue, however old the request', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const { tokenHash } = await mailFor(verifier)
  testApp.clock.advance(20 * 60_000)
  const opened = await open({ token: tokenHash, type: 'magiclink' })
  const body = { auth_code: opened.location.searchParams.get('code'), code_verifier: verifier }
  testApp.clock.advance(5 * 60_000)
  const late = await wire.call('POST', '/token?grant_type=pkce', { body })
  expect([late.status, late.body.code]).toEqual([422, 'flow_state_expired'])
  testApp.clock.advance(-1)
  expect((await wire.call('POST', '/token?grant_type=pkce', { body })).status).toBe(200)
})

test('a code of a redirect is reported as expired for an hour, then it is forgotten', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const { tokenHash } = await mailFor(verifier)
  const opened = await open({ token: tokenHash, type: 'magiclink' })
  const body = { auth_code: opened.location.searchParams.get('code'), code_verifier: verifier }
  const exchange = async () => (await wire.call('POST', '/token?grant_type=pkce', { body })).body.code
  testApp.clock.advance(65 * 60_000)
  await runPurges(testApp)
  expect(await exchange()).toBe('flow_state_expired')
  testApp.clock.advance(1)
  await runPurges(testApp)
  expect(await exchange()).toBe('flow_state_not_found')
})

test('of twenty exchanges of one code at once one gets a session', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const { tokenHash } = await mailFor(verifier)
  const opened = await open({ token: tokenHash, type: 'magiclink' })
  const body = { auth_code: opened.location.searchParams.get('code'), code_verifier: verifier }
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => wire.call('POST', '/token?grant_type=pkce', { body })),
  )
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
})

test('a recovery mail goes to those who have a user, signs in, and goes to no one else', async () => {
  const verifier = randomBytes(32).toString('base64url')
  const { email, tokenHash, link } = await mailFor(verifier, '/recover')
  expect(link).toMatch(/&type=recovery$/)
  const opened = await open({ token: tokenHash, type: 'recovery' })
  const body = { auth_code: opened.location.searchParams.get('code'), code_verifier: verifier }
  const session = await wire.call('POST', '/token?grant_type=pkce', { body })
  expect(decodeJwt(String(session.body.access_token))).toMatchObject({ email, amr: [{ method: 'recovery' }] })

  const unknown = await wire.call('POST', '/recover', { body: { email: 'never.seen@example.com' } })
  expect([unknown.status, unknown.text]).toEqual([200, '{}'])
  expect(await deliverSignInMails(testApp)).toEqual([])
})

test('a link that lacks its token or names an unknown kind is refused in JSON', async () => {
  for (const parameters of [{}, { token: 'x' }, { type: 'magiclink' }, { token: 'x', type: 'invite' }]) {
    const answer = await wire.call(
      'GET',
      `/verify?${new URLSearchParams(parameters as Record<string, string>)}`,
    )
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  }
})

test('a client that only looks uses nothing up (HEAD, and GET of the page that the mail names)', async () => {
  const { tokenHash, link } = await mailFor(null)
  for (let round = 0; round < 3; round++) {
    const head = await open({ token: tokenHash, type: 'magiclink' }, 'HEAD')
    expect([head.status, head.text, head.headers.location]).toEqual([200, '', undefined])
    await testApp.app.inject({ method: 'GET', url: new URL(link).pathname })
  }
  expect((await wire.verifyLink(tokenHash)).status).toBe(200)
})

test('a token hash is sent alone', async () => {
  const { tokenHash, email } = await mailFor(null)
  const both = { token_hash: tokenHash, email, type: 'email' }
  const answer = await wire.call('POST', '/verify', { body: both })
  expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
})

test('a mail is sent again as it was asked for, and not to those who never asked', async () => {
  const { email } = await mailFor(null)
  const resend = (body: object) => wire.call('POST', '/resend', { body })
  expect((await resend({ type: 'signup', email })).text).toBe('{}')
  const [again] = await deliverSignInMails(testApp)
  expect(again?.to).toBe(email)
  expect((await wire.verify(email, again?.code ?? '')).status).toBe(200)

  expect((await resend({ type: 'signup', email: 'never.asked@example.com' })).text).toBe('{}')
  expect((await resend({ type: 'email_change', email })).text).toBe('{}')
  expect(await deliverSignInMails(testApp)).toEqual([])
  const refused: [body: object, code: string][] = [
    [{ type: 'sms', phone: '+4912345' }, 'phone_provider_disabled'],
    [{ type: 'other', email }, 'validation_failed'],
    [{ type: 'signup' }, 'validation_failed'],
  ]
  for (const [body, code] of refused) {
    const answer = await resend(body)
    expect([answer.status, answer.body.code]).toEqual([400, code])
  }
})
