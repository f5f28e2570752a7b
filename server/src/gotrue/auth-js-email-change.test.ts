import { AuthClient } from '@supabase/auth-js'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../test/sign-in/email-change.ts'
import { deliverSignInMails } from '../../test/sign-in/sign-in-mails.ts'

/** The real client against the listening app. It lives by the real clock, so the app's stands at the real instant. */
let testApp: TestApp
let origin: string
let change: ReturnType<typeof emailChange>

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  origin = await testApp.app.listen({ host: '127.0.0.1', port: 0 })
  change = emailChange(testApp, authWire(testApp))
})
afterAll(() => testApp.close())
beforeEach(() => testApp.clock.set(new Date()))

async function signedIn(flowType: 'pkce' | 'implicit', email: string) {
  const stored = new Map<string, string>()
  const events: string[] = []
  const client = new AuthClient({
    url: `${origin}/auth/v1`,
    storageKey: 'tradepost-auth',
    flowType,
    autoRefreshToken: false,
    persistSession: true,
    storage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
  })
  client.onAuthStateChange((event) => void events.push(event))
  await client.initialize()
  await client.signInWithOtp({ email })
  const [mail] = await deliverSignInMails(testApp)
  const { error } = await client.verifyOtp({ email, token: mail?.code ?? '', type: 'email' })
  expect(error).toBeNull()
  return { client, events }
}

test.each(['pkce', 'implicit'] as const)(
  'the client of the %s flow changes its person’s address with two codes and goes on with the new one',
  async (flowType) => {
    const old = `${flowType}-old@example.com`
    const next = `${flowType}-new@example.com`
    const { client, events } = await signedIn(flowType, old)
    const asked = await client.updateUser({ email: next })
    expect(asked.error).toBeNull()
    expect(asked.data.user).toMatchObject({ email: old, new_email: next })
    const codes = await change.codes()
    const first = await client.verifyOtp({ type: 'email_change', email: old, token: codes[old] ?? '' })
    expect(first).toEqual({ data: { user: null, session: null }, error: null })
    const second = await client.verifyOtp({ type: 'email_change', email: next, token: codes[next] ?? '' })
    expect([second.error, second.data.user?.email]).toEqual([null, next])
    expect(events.slice(2)).toEqual(['USER_UPDATED', 'SIGNED_IN'])
    expect((await client.getUser()).data.user).toMatchObject({ email: next })
    const renewed = await client.refreshSession()
    expect(renewed.data.session?.user.email).toBe(next)
    expect((await client.getClaims()).data?.claims.email).toBe(next)
  },
)

test('a wrong code is an error of the client, and the session it has goes on', async () => {
  const { client } = await signedIn('pkce', 'wrong-old@example.com')
  await client.updateUser({ email: 'wrong-new@example.com' })
  await change.codes()
  const answer = await client.verifyOtp({
    type: 'email_change',
    email: 'wrong-old@example.com',
    token: '123456',
  })
  expect([answer.error?.status, answer.error?.code, answer.data.session]).toEqual([403, 'otp_expired', null])
  expect((await client.getUser()).error).toBeNull()
})

test('the client has both codes sent again, and asks for nothing of an address without a change', async () => {
  const [old, next] = ['again-old@example.com', 'again-new@example.com']
  const { client } = await signedIn('pkce', old)
  expect((await client.resend({ type: 'email_change', email: old })).error).toBeNull()
  expect(await change.codes()).toEqual({})
  await client.updateUser({ email: next })
  const first = await change.codes()
  const again = await client.resend({ type: 'email_change', email: old })
  expect([again.error, again.data]).toEqual([null, { user: null, session: null, messageId: undefined }])
  const second = await change.codes()
  expect(Object.keys(second).toSorted()).toEqual([next, old])
  expect(second[old]).not.toBe(first[old])
})
