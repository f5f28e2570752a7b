import { expect, test } from 'vitest'
import { open } from '../../../../sandbox/src/stripe/contract/browser.ts'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { call } from '../../../test/factories.ts'
import { startPaymentsScenario } from '../../../test/money/payments-scenario.ts'
import { bearer, type SignedIn, signIn } from '../../../test/sign-in/sign-in.ts'
import { setUpStripe } from '../provider/set-up-stripe.ts'

const scenario = await startPaymentsScenario({ limitsOn: false })
const { app, clock, deps, settings, sandbox } = scenario
await setUpStripe(deps, null, clock.now())

/** Somebody for whom every call of the payments succeeds, whatever order they are made in. */
async function makeReadyCustomer() {
  const trader = await scenario.makeReady()
  await scenario.post(trader, '/v1/accounts/customer')
  return trader
}

const REDIRECTS = ['/v1/accounts/stripe/customer-session', '/v1/accounts/stripe/dashboard'] as const

test('calls without a payload take an empty body, with and without a type of content', {
  tags: ['API-24'],
}, async () => {
  const [person, started] = [await makeReadyCustomer(), await scenario.makeStarted()]
  const calls = [
    ...['/v1/accounts/customer', ...REDIRECTS].map((url) => ({ url, who: person })),
    { url: '/v1/accounts/trader', who: started },
  ]
  for (const { url, who } of calls) {
    const json = { 'content-type': 'application/json' }
    for (const headers of [{}, json]) {
      const answer = await app.inject({
        method: 'POST',
        url,
        headers: { ...bearer(who.token), ...headers },
        ...('content-type' in headers && { payload: '' }),
      })
      expect([url, answer.statusCode]).toEqual([url, 200])
    }
  }
})

test('addresses to go to are made by the server, whatever addresses the caller sends', {
  tags: ['API-25'],
}, async () => {
  const [person, started] = [await makeReadyCustomer(), await scenario.makeStarted()]
  const evil = 'https://evil.example/'
  const ask = async (url: string, token: string) => {
    const answer = await app.inject({
      method: 'POST',
      url: `${url}?url=${evil}&return_url=${evil}`,
      headers: {
        ...bearer(token),
        host: 'evil.example',
        origin: evil,
        referer: evil,
        'x-forwarded-host': 'evil.example',
      },
      payload: { url: evil, return_url: evil, refresh_url: evil },
    })
    return String(answer.json().url)
  }
  const urls = [
    ...(await Promise.all(REDIRECTS.map((url) => ask(url, person.token)))),
    await ask('/v1/accounts/trader', started.token),
  ]
  for (const url of urls) {
    expect(url.startsWith(`${sandbox.url}/`)).toBe(true)
    const page = await open(url)
    expect(page.html).not.toContain('evil.example')
    // Opened twice, the onboarding leads back to us, and nowhere else.
    const again = await open(url)
    if (again.location) expect(new URL(again.location).origin).toBe(settings.origin)
  }
})

test('calls that ask Stripe something are limited to thirty a minute and person; others go on', async () => {
  const limited = await buildTestApp({ clock, stripe: sandbox })
  const [person, neighbour] = [await signIn(limited), await signIn(limited)]
  const ask = (who: SignedIn) => call(limited, who, 'POST', '/v1/accounts/customer')
  for (let count = 0; count < 30; count += 1) expect((await ask(person)).status).toBe(200)
  expect(await ask(person)).toMatchObject({ status: 429, body: { code: 'rate_limited' } })
  expect((await call(limited, person, 'GET', '/v1/accounts/customer')).status).toBe(200)
  expect((await ask(neighbour)).status).toBe(200)
  clock.advance(60_000)
  expect((await ask(person)).status).toBe(200)
  await limited.close()
})
