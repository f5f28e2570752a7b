import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import type { AuthClient, Session } from '@supabase/auth-js'
import { buildSync } from 'esbuild'
import { authenticatorCode } from '../server/test/sign-in/authenticator.ts'
import { codeIn, expect, type Person, test } from './fixtures.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { newAddress, tokenHashIn } from './sign-in-steps.ts'
import { NEUTRAL } from './visiting-steps.ts'

/*
 * The library as it comes, in a real browser, against the product's server: what any other client of the sign-in wire may
 * rely on (docs/specification.md sections 4, 5 and 7). The app's own use of it is proven by the journeys.
 */
type Client = InstanceType<typeof AuthClient>
type OpenAs = (person: Person | null, path: string) => Promise<Page>
type Options = { storageKey?: string; flowType?: 'pkce' | 'implicit' }
type Probe = {
  open(options?: Options): Client
  clients: Client[]
  events: string[]
}
declare global {
  interface Window {
    probe: Probe
  }
}

const library = buildSync({
  stdin: {
    contents: `
      import { AuthClient } from '@supabase/auth-js'
      window.probe = {
        clients: [],
        events: [],
        open(options) {
          const client = new AuthClient({ url: location.origin + '/auth/v1', storageKey: 'probe', flowType: 'pkce', ...options })
          client.onAuthStateChange((event) => window.probe.events.push(event))
          window.probe.clients.push(client)
          return client
        },
      }`,
    resolveDir: fileURLToPath(new URL('.', import.meta.url)),
  },
  bundle: true,
  write: false,
  format: 'iife',
  target: 'es2022',
}).outputFiles[0]?.text

/** A page of the product's origin that holds the library and nothing of the app. */
const PROBE = '/probe'

async function openProbe(openAs: OpenAs): Promise<Page> {
  const page = await openAs(null, NEUTRAL)
  await page.route(`**${PROBE}**`, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
  await page.addInitScript({ content: library ?? '' })
  await page.goto(new URL(PROBE, page.url()).href)
  return page
}

const events = (page: Page) => page.evaluate(() => window.probe.events)

test('the client signs in, renews, confirms and signs out in a browser with the five events in order, and reads identities and claims', {
  tag: ['@AUTH-03', '@AUTH-10'],
}, async ({ openAs, product, mailbox }) => {
  const email = newAddress()
  const page = await openProbe(openAs)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.evaluate(async (address) => {
    const client = window.probe.open()
    await client.initialize()
    const { error } = await client.signInWithOtp({ email: address })
    if (error) throw error
  }, email)
  const code = codeIn(await mailbox.latest(email))
  const secret = await page.evaluate(
    async ([address, token]) => {
      const [client] = window.probe.clients
      if (!client) throw new Error('no client')
      const verified = await client.verifyOtp({ email: address, token, type: 'email' })
      if (verified.error) throw verified.error
      const refreshed = await client.refreshSession()
      if (refreshed.error) throw refreshed.error
      const enrolled = await client.mfa.enroll({ factorType: 'totp' })
      if (enrolled.error) throw enrolled.error
      return { factorId: enrolled.data.id, secret: enrolled.data.totp.secret }
    },
    [email, code] as const,
  )
  const confirmation = { factorId: secret.factorId, code: authenticatorCode(secret.secret, product.now()) }
  const seen = await page.evaluate(async (given) => {
    const [client] = window.probe.clients
    if (!client) throw new Error('no client')
    const before = await client.mfa.getAuthenticatorAssuranceLevel()
    const confirmed = await client.mfa.challengeAndVerify(given)
    if (confirmed.error) throw confirmed.error
    const level = await client.mfa.getAuthenticatorAssuranceLevel()
    const claims = await client.getClaims()
    const identities = await client.getUserIdentities()
    const [identity] = identities.data?.identities ?? []
    const unlinked = identity && (await client.unlinkIdentity(identity))
    const out = await client.signOut()
    return {
      before: before.data,
      level: level.data,
      claims: claims.data?.claims,
      algorithm: claims.data?.header.alg,
      providers: identities.data?.identities.map(({ provider }) => provider),
      unlinked: unlinked?.error?.code,
      out: out.error,
    }
  }, confirmation)
  expect(seen).toMatchObject({
    before: { currentLevel: 'aal1', nextLevel: 'aal1' },
    level: { currentLevel: 'aal2', nextLevel: 'aal2' },
    claims: { aal: 'aal2', aud: 'authenticated', email },
    algorithm: 'ES256',
    providers: ['email'],
    unlinked: 'manual_linking_disabled',
    out: null,
  })
  expect(await events(page)).toEqual([
    'INITIAL_SESSION',
    'SIGNED_IN',
    'TOKEN_REFRESHED',
    'MFA_CHALLENGE_VERIFIED',
    'SIGNED_OUT',
  ])
  expect(asked).toContain('/auth/v1/.well-known/jwks.json')
})

test('a sign-out of the client ends this device, the others, or all by default', {
  tag: ['@AUTH-07'],
}, async ({ people, openAs, product }) => {
  const person = await people.join()
  const page = await openProbe(openAs)
  const sessions: Session[] = []
  const addDevice = async (session: Session) => {
    sessions.push(session)
    await page.evaluate(async (given) => {
      const client = window.probe.open({ storageKey: `device-${window.probe.clients.length}` })
      const { error } = await client.setSession(given)
      if (error) throw error
    }, session)
  }
  const alive = () =>
    Promise.all(
      sessions.map(async ({ access_token }) => {
        const headers = { authorization: `Bearer ${access_token}` }
        return (await fetch(`${product.url}/auth/v1/user`, { headers })).ok
      }),
    )
  const signOut = (device: number, scope?: 'local' | 'others') =>
    page.evaluate(async ([index, options]) => (await window.probe.clients[index]?.signOut(options))?.error, [
      device,
      scope && { scope },
    ] as const)
  await addDevice(person.session)
  await addDevice(await signInByCode(product, person.email))
  await addDevice(await signInByCode(product, person.email))
  expect(await alive()).toEqual([true, true, true])
  expect(await signOut(0, 'local')).toBeNull()
  expect(await alive()).toEqual([false, true, true])
  expect(await signOut(1, 'others')).toBeNull()
  expect(await alive()).toEqual([false, true, false])
  await addDevice(await signInByCode(product, person.email))
  expect(await signOut(1)).toBeNull()
  expect(await alive()).toEqual([false, false, false, false])
  const renewed = await page.evaluate(
    async () => (await window.probe.clients[3]?.refreshSession())?.error?.code,
  )
  expect(renewed).toBe('refresh_token_not_found')
})

test('a recovery link comes back with a code, which the client of the page trades', async ({
  people,
  openAs,
  product,
  mailbox,
}) => {
  const { email } = await people.join()
  const page = await openProbe(openAs)
  await page.evaluate(async (address) => {
    const { error } = await window.probe.open().resetPasswordForEmail(address)
    if (error) throw error
  }, email)
  await expect.poll(async () => (await mailbox.all(email)).length).toBe(2)
  const token = tokenHashIn(await mailbox.latest(email))
  const redirect_to = product.url + PROBE
  const link = `${product.url}/auth/v1/verify?${new URLSearchParams({ token, type: 'recovery', redirect_to })}`
  const sent = (await fetch(link, { redirect: 'manual' })).headers.get('location') ?? ''
  expect(sent).toMatch(/\/probe\?code=/)
  await page.goto(sent)
  const came = await page.evaluate(async () => {
    const client = window.probe.open()
    const { error } = await client.initialize()
    return { error, email: (await client.getUser()).data.user?.email }
  })
  expect(came).toEqual({ error: null, email })
  await expect.poll(() => events(page)).toContain('PASSWORD_RECOVERY')
  await expect(page).toHaveURL(redirect_to)
})

test('the client rejects callback URLs that lack what their flow needs, in its own sentences', {
  tag: ['@AUTH-11', '@AUTH-12', '@AUTH-13', '@AUTH-14'],
}, async ({ openAs, product }) => {
  const page = await openProbe(openAs)
  const tokens = 'access_token=x&refresh_token=y&expires_in=3600&token_type=bearer'
  const rows: [flow: 'pkce' | 'implicit', fragment: string, message: string][] = [
    ['implicit', 'error=access_denied', 'Error in URL with unspecified error_description'],
    ['implicit', 'error_description=Link+expired', 'Link expired'],
    ['pkce', tokens, 'Not a valid PKCE flow url.'],
    ...['refresh_token=y&', 'expires_in=3600&', '&token_type=bearer'].map(
      (missing): [flow: 'implicit', fragment: string, message: string] => [
        'implicit',
        tokens.replace(missing, ''),
        'No session defined in URL',
      ],
    ),
  ]
  for (const [flowType, fragment, message] of rows) {
    // A new fragment alone would not load the page again.
    await page.goto('about:blank')
    await page.goto(`${product.url}${PROBE}#${fragment}`)
    const failure = await page.evaluate(
      async (flow) => (await window.probe.open({ flowType: flow }).initialize()).error?.message,
      flowType,
    )
    expect(failure, `${flowType} ${fragment}`).toBe(message)
    expect(await events(page)).toEqual(['INITIAL_SESSION'])
  }
})
