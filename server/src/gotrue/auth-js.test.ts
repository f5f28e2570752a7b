import { AuthClient, type Session } from '@supabase/auth-js'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { deliverAccountCodes } from '../../test/sign-in/account-codes.ts'
import { wrongCode } from '../../test/sign-in/auth-wire.ts'
import { authenticatorCode } from '../../test/sign-in/authenticator.ts'
import { deliverSignInMails } from '../../test/sign-in/sign-in-mails.ts'
import { makeAuthDeps } from '../auth/keys/auth-deps.ts'
import { rotateSigningKeys } from '../auth/keys/rotate-signing-keys.ts'

type Client = InstanceType<typeof AuthClient>

/** The real client against the listening app. It lives by the real clock, so the app's stands at the real instant. */
let testApp: TestApp
let origin: string
let address = 0
const clients: Client[] = []

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  origin = await testApp.app.listen({ host: '127.0.0.1', port: 0 })
})
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(new Date()))
afterEach(async () => {
  for (const client of clients.splice(0)) await client.stopAutoRefresh()
})

/** Opens a link as a browser would, up to where it is sent. */
async function follow(parameters: Record<string, string>): Promise<string> {
  const answer = await fetch(`${origin}/auth/v1/verify?${new URLSearchParams(parameters)}`, {
    redirect: 'manual',
  })
  return answer.headers.get('location') ?? ''
}

type Device = { client: Client; events: string[]; calls: string[]; stored: Map<string, string> }

/** A browser's worth of client: its storage, the events it reported and the calls it made. */
async function openDevice(
  options: { stored?: Map<string, string>; autoRefreshToken?: boolean } = {},
): Promise<Device> {
  const stored = options.stored ?? new Map<string, string>()
  const events: string[] = []
  const calls: string[] = []
  const client = new AuthClient({
    url: `${origin}/auth/v1`,
    storageKey: 'tradepost-auth',
    flowType: 'pkce',
    autoRefreshToken: options.autoRefreshToken ?? false,
    persistSession: true,
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    fetch: (input, init) => {
      calls.push(`${init?.method ?? 'GET'} ${String(input).slice(`${origin}/auth/v1`.length)}`)
      return fetch(input, init)
    },
  })
  clients.push(client)
  client.onAuthStateChange((event) => void events.push(event))
  await client.initialize()
  return { client, events, calls, stored }
}

async function signInByCode(device: Device, email = newEmail()): Promise<Session> {
  const asked = await device.client.signInWithOtp({ email })
  expect(asked.error).toBeNull()
  const [mail] = await deliverSignInMails(testApp)
  const { data, error } = await device.client.verifyOtp({ email, token: mail?.code ?? '', type: 'email' })
  expect(error).toBeNull()
  if (!data.session) throw new Error('no session')
  return data.session
}

function newEmail(): string {
  address += 1
  return `person-${address}@example.com`
}

test('the client signs in by code, refreshes and signs out, with the right events', async () => {
  const device = await openDevice()
  const { client, events, calls } = device
  const first = await signInByCode(device)
  const { data, error } = await client.refreshSession()
  expect(error).toBeNull()
  expect(data.session?.refresh_token).not.toBe(first.refresh_token)
  expect((await client.signOut()).error).toBeNull()
  expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'TOKEN_REFRESHED', 'SIGNED_OUT'])
  expect(calls).toEqual([
    'POST /otp',
    'POST /verify',
    'POST /token?grant_type=refresh_token',
    'POST /logout?scope=global',
  ])
  expect((await client.getSession()).data.session).toBeNull()
})

test('the client signs in by the link on a device that never asked for it', async () => {
  const email = newEmail()
  await (await openDevice()).client.signInWithOtp({ email })
  const [mail] = await deliverSignInMails(testApp)
  const { client, events } = await openDevice()
  const { data, error } = await client.verifyOtp({ token_hash: mail?.tokenHash ?? '', type: 'email' })
  expect(error).toBeNull()
  expect(data.user?.email).toBe(email)
  expect(events).toEqual(['INITIAL_SESSION', 'SIGNED_IN'])
})

test('a wrong code is an error with its code, and no session', async () => {
  const { client, events } = await openDevice()
  const { data, error } = await client.verifyOtp({ email: newEmail(), token: '123456', type: 'email' })
  expect([data.session, error?.code, error?.status]).toEqual([null, 'otp_expired', 403])
  expect(events).toEqual(['INITIAL_SESSION'])
})

test('codes by phone are wrong ones to the client too', async () => {
  const { client } = await openDevice()
  for (const type of ['sms', 'phone_change'] as const) {
    const { data, error } = await client.verifyOtp({ phone: '+4912345678', token: '123456', type })
    expect([data.session, error?.code, error?.status]).toEqual([null, 'otp_expired', 403])
  }
})

test('the client reads the user, and checks claims with the published keys alone', async () => {
  const device = await openDevice()
  const session = await signInByCode(device)
  const { data } = await device.client.getUser()
  expect(data.user).toMatchObject({ id: session.user.id, identities: [{ provider: 'email' }] })
  device.calls.length = 0
  const claims = await device.client.getClaims()
  expect(claims.error).toBeNull()
  expect(claims.data?.claims).toMatchObject({ sub: session.user.id, aal: 'aal1', aud: 'authenticated' })
  expect(claims.data?.header.alg).toBe('ES256')
  await device.client.getClaims()
  expect(device.calls).toEqual(['GET /.well-known/jwks.json'])
})

test('a token that is about to expire is renewed automatically', async () => {
  const device = await openDevice()
  testApp.clock.advance(-3_540_000)
  const old = await signInByCode(device)
  testApp.clock.set(new Date())
  const again = await openDevice({ stored: device.stored, autoRefreshToken: true })
  const { data } = await again.client.getSession()
  expect(data.session?.access_token).not.toBe(old.access_token)
  expect(again.events).toContain('TOKEN_REFRESHED')
})

test('a refused refresh ends the session of a client whose token has run out', async () => {
  const device = await openDevice()
  testApp.clock.advance(-3_700_000)
  const { user } = await signInByCode(device)
  testApp.clock.set(new Date())
  await testApp.db
    .updateTable('sessions')
    .set({ revoked_at: new Date() })
    .where('user_id', '=', user.id)
    .execute()
  const { data } = await device.client.getSession()
  expect(data.session).toBeNull()
  expect(device.events.at(-1)).toBe('SIGNED_OUT')
  expect(device.stored.has('tradepost-auth')).toBe(false)
})

test('after a sign-out everywhere the other device finds itself out and can still sign out', async () => {
  const email = newEmail()
  const here = await openDevice()
  const there = await openDevice()
  await signInByCode(here, email)
  await signInByCode(there, email)
  expect((await here.client.signOut()).error).toBeNull()
  const { error } = await there.client.getUser()
  expect(error?.name).toBe('AuthSessionMissingError')
  expect((await there.client.getSession()).data.session).toBeNull()

  const third = await openDevice()
  await signInByCode(third, email)
  await testApp.db.updateTable('sessions').set({ revoked_at: new Date() }).execute()
  expect((await third.client.signOut()).error).toBeNull()
  expect(third.events.at(-1)).toBe('SIGNED_OUT')
})

test('the scope others leaves this device in', async () => {
  const email = newEmail()
  const here = await openDevice()
  const there = await openDevice()
  await signInByCode(here, email)
  await signInByCode(there, email)
  expect((await here.client.signOut({ scope: 'others' })).error).toBeNull()
  expect((await here.client.getUser()).error).toBeNull()
  expect((await there.client.refreshSession()).error?.code).toBe('refresh_token_not_found')
})

test('a recovery link that redirects is exchanged by the client that holds the verifier', async () => {
  const email = newEmail()
  await signInByCode(await openDevice(), email)
  const { client, events } = await openDevice()
  expect((await client.resetPasswordForEmail(email)).error).toBeNull()
  const [mail] = await deliverSignInMails(testApp)
  const location = await follow({ token: mail?.tokenHash ?? '', type: 'recovery' })
  const code = new URL(location).searchParams.get('code') ?? ''
  const stranger = await (await openDevice()).client.exchangeCodeForSession(code)
  expect(stranger.data.session).toBeNull()
  const { data, error } = await client.exchangeCodeForSession(code)
  expect(error).toBeNull()
  expect(data.session?.user.email).toBe(email)
  expect(events).toEqual(['INITIAL_SESSION', 'PASSWORD_RECOVERY'])
})

test('people change their user metadata, and a password is refused', async () => {
  const device = await openDevice()
  await signInByCode(device)
  const { data, error } = await device.client.updateUser({ data: { nickname: 'Ada' } })
  expect(error).toBeNull()
  expect(data.user?.user_metadata).toMatchObject({ nickname: 'Ada' })
  expect(device.events.at(-1)).toBe('USER_UPDATED')
  const refused = await device.client.updateUser({ password: 'hunter22' })
  expect([refused.error?.status, refused.error?.code]).toEqual([422, 'validation_failed'])
})

test('identities are listed, and neither linked nor removed', async () => {
  const device = await openDevice()
  const { client } = device
  await signInByCode(device)
  const { data } = await client.getUserIdentities()
  expect(data?.identities).toMatchObject([{ provider: 'email' }])
  const [identity] = data?.identities ?? []
  if (!identity) throw new Error('no identity')
  expect((await client.unlinkIdentity(identity)).error?.code).toBe('manual_linking_disabled')
  const linked = await client.linkIdentity({ provider: 'google', options: { skipBrowserRedirect: true } })
  expect(linked.error?.code).toBe('manual_linking_disabled')
})

test('a mail is sent again through the client', async () => {
  const device = await openDevice()
  const email = newEmail()
  await device.client.signInWithOtp({ email })
  await deliverSignInMails(testApp)
  expect((await device.client.resend({ type: 'signup', email })).error).toBeNull()
  const [mail] = await deliverSignInMails(testApp)
  expect(mail?.to).toBe(email)
})

test('the client enrols a second factor, is asked for it at the next sign-in, and removes it', {
  tags: ['AUTH-24'],
}, async () => {
  const email = newEmail()
  const first = await openDevice()
  await signInByCode(first, email)
  const { mfa } = first.client
  const enrolled = await mfa.enroll({ factorType: 'totp', friendlyName: 'My phone' })
  if (enrolled.error) throw enrolled.error
  const { id, totp } = enrolled.data
  expect(totp.qr_code).toMatch(/^data:image\/svg\+xml;utf-8,<svg [^#]*<\/svg>$/s)
  const code = () => authenticatorCode(totp.secret, testApp.clock.now())
  const confirmed = await mfa.challengeAndVerify({ factorId: id, code: code() })
  expect(confirmed.error).toBeNull()
  expect(first.events).toEqual(['INITIAL_SESSION', 'SIGNED_IN', 'MFA_CHALLENGE_VERIFIED'])

  const second = await openDevice()
  await signInByCode(second, email)
  const before = await second.client.mfa.getAuthenticatorAssuranceLevel()
  expect(before.data).toMatchObject({ currentLevel: 'aal1', nextLevel: 'aal2' })
  expect((await second.client.mfa.unenroll({ factorId: id })).error?.code).toBe('insufficient_aal')
  const challenged = await second.client.mfa.challenge({ factorId: id })
  if (challenged.error) throw challenged.error
  const answer = { factorId: id, challengeId: challenged.data.id }
  const used = await second.client.mfa.verify({ ...answer, code: code() })
  expect([used.error?.status, used.error?.code]).toEqual([422, 'mfa_verification_failed'])
  testApp.clock.advance(30_000)
  expect((await second.client.mfa.verify({ ...answer, code: code() })).error).toBeNull()
  const after = await second.client.mfa.getAuthenticatorAssuranceLevel()
  expect(after.data).toMatchObject({ currentLevel: 'aal2', nextLevel: 'aal2' })
  expect(
    after.data?.currentAuthenticationMethods.map((entry) => (entry as { method: string }).method),
  ).toEqual(['totp', 'otp'])
  expect((await second.client.refreshSession()).error).toBeNull()
  const listed = await second.client.mfa.listFactors()
  expect(listed.data?.totp).toMatchObject([{ id, status: 'verified', friendly_name: 'My phone' }])

  expect((await second.client.mfa.unenroll({ factorId: id })).error).toBeNull()
  expect((await second.client.mfa.listFactors()).data?.all).toEqual([])
  const phone = await second.client.mfa.enroll({ factorType: 'phone', phone: '+4912345' })
  expect(phone.error?.code).toBe('mfa_phone_enroll_not_enabled')
})

test('a session that is older than five minutes proves the mailbox again by the client, and then turns the second step on', async () => {
  const device = await openDevice()
  const { client, events } = device
  await signInByCode(device)
  const enrolled = await client.mfa.enroll({ factorType: 'totp' })
  if (enrolled.error) throw enrolled.error
  const { id, totp } = enrolled.data
  testApp.clock.advance(5 * 60_000 + 1)
  const confirm = () =>
    client.mfa.challengeAndVerify({ factorId: id, code: authenticatorCode(totp.secret, testApp.clock.now()) })
  expect((await confirm()).error?.code).toBe('reauthentication_needed')
  expect((await client.reauthenticate()).error).toBeNull()
  const [mail] = await deliverAccountCodes(testApp)
  const wrong = await client.updateUser({ nonce: wrongCode(mail?.code ?? '') })
  expect([wrong.error?.status, wrong.error?.code]).toEqual([422, 'reauthentication_not_valid'])
  expect((await client.updateUser({ nonce: mail?.code ?? '' })).error).toBeNull()
  expect((await confirm()).error).toBeNull()
  expect(events.slice(2)).toEqual(['USER_UPDATED', 'MFA_CHALLENGE_VERIFIED'])
})

test('eight tabs of one browser refresh at once, again and again, and all stay in', async () => {
  const first = await openDevice()
  await signInByCode(first)
  const tabs = [first]
  while (tabs.length < 8) tabs.push(await openDevice({ stored: first.stored }))
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(tabs.map(({ client }) => client.refreshSession()))
    // A tab that finds the store already renewed by another lays its own answer aside; that is no refusal.
    const refused = answers.filter(({ error }) => error && error.name !== 'AuthRefreshDiscardedError')
    expect(refused).toEqual([])
    expect(answers.some(({ error }) => error === null)).toBe(true)
    testApp.clock.advance(5000)
  }
  for (const { client, events } of tabs) {
    expect((await client.getUser()).error).toBeNull()
    expect(events).not.toContain('SIGNED_OUT')
  }
})

test('the signing key changes under a client, whose claims are checked all the same', async () => {
  const device = await openDevice()
  const { client } = device
  await signInByCode(device)
  const before = (await client.getClaims()).data?.header.kid
  await rotateSigningKeys(makeAuthDeps(testApp), testApp.clock.now())
  testApp.clock.advance(20 * 60_000)
  expect((await client.refreshSession()).error).toBeNull()
  const { data, error } = await client.getClaims()
  expect(error).toBeNull()
  expect(data?.header.kid).not.toBe(before)
  // Checked with the published keys, not by asking for the user.
  expect(device.calls).not.toContain('GET /user')
  expect(device.events).not.toContain('SIGNED_OUT')
})
