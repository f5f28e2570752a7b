import type { Endpoint } from '@tradepost/contract/endpoint'
import { endpoints } from '@tradepost/contract/endpoints'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { buildTestApp, TEST_NOW } from '../build-test-app.ts'
import { close, makeTrader, moveSubscription, open, subscribe, type Trader } from '../factories.ts'
import { putDiscountCode } from '../money/discount-code.ts'
import { startQuoteServer } from '../prices/quote-server.ts'
import { bearer, type SignedIn, signIn, tokenOf } from '../sign-in/sign-in.ts'

const quotes = await startQuoteServer()
const testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
afterAll(async () => {
  await testApp.close()
  await quotes.close()
})
beforeEach(() => testApp.clock.set(TEST_NOW))

const reads = Object.entries<Endpoint>(endpoints).filter(
  ([, { method, streams }]) => method === 'GET' && !streams,
)

/** A person's call, with the tag of the answer that they have. */
async function read(who: SignedIn, url: string, known?: string, method: 'GET' | 'HEAD' = 'GET') {
  const headers = {
    ...bearer(await tokenOf(testApp, who)),
    ...(known !== undefined && { 'if-none-match': known }),
  }
  const answer = await testApp.app.inject({ method, url, headers })
  return { status: answer.statusCode, headers: answer.headers, text: answer.body }
}

const tagOf = async (who: SignedIn, url: string) => String((await read(who, url)).headers.etag)

/** The value for `:id` in a path: a position or a subscription of the trader's, or their name. */
async function idFor(trader: Trader, { path }: Endpoint): Promise<string> {
  if (path === endpoints.leaving.path) return subscribe(testApp, trader, await makeTrader(testApp))
  if (!path.includes('/positions/:id')) return trader.username
  const { body } = await open(testApp, quotes, trader, 'AAPL', 100)
  return (body.position as { id: string }).id
}

test.each(reads)(
  'the answer of %s may be kept by the caller and is answered 304 while it is the same, and a refusal may not',
  { tags: ['API-29'] },
  async (_name, endpoint) => {
    const trader = await makeTrader(testApp)
    await putDiscountCode(testApp, trader, 'OFFER')
    const path = endpoint.path
      .replace(':username', trader.username)
      .replace(':id', await idFor(trader, endpoint))
      .replace(':code', 'OFFER')
    const url = endpoint.query ? `${path}?username=${trader.username}&query=apple` : path
    const first = await read(trader, url)
    expect([first.status, first.headers['cache-control']]).toEqual([200, 'private, no-cache'])
    expect(first.headers['content-type']).toBe('application/json; charset=utf-8')
    const tag = String(first.headers.etag)
    expect(tag).toMatch(/^W\/"[\w-]{43}"$/)

    for (const known of [tag, tag.slice(2), `"another", ${tag}`, '*']) {
      const again = await read(trader, url, known)
      expect([again.status, again.text], known).toEqual([304, ''])
      expect(again.headers).toMatchObject({ etag: tag, 'cache-control': 'private, no-cache' })
      expect(again.headers).not.toHaveProperty('content-type')
    }
    for (const unknown of ['"another"', 'W/"another"', '', tag.slice(0, -2)]) {
      expect(await read(trader, url, unknown)).toMatchObject({ status: 200, text: first.text })
    }
    const head = await read(trader, url, undefined, 'HEAD')
    expect([head.status, head.headers.etag, head.text]).toEqual([200, tag, ''])
    const refused = await testApp.app.inject({ url, headers: { 'if-none-match': tag } })
    expect([refused.statusCode, refused.headers['cache-control']]).toEqual([401, 'no-store'])
  },
)

test('the tag of a list changes with everything that it describes, and with nothing else', async () => {
  const trader = await makeTrader(testApp)
  const follower = await signIn(testApp)
  const stranger = await signIn(testApp)
  const url = '/v1/positions'
  const tags: string[] = []
  const noteTag = async () => tags.push(await tagOf(follower, url))

  await noteTag()
  const subscription = await subscribe(testApp, follower, trader)
  await noteTag()
  expect(tags[1], 'following somebody without positions changes nothing').toBe(tags[0])
  await open(testApp, quotes, trader, 'AAPL', 100)
  await noteTag()
  await open(testApp, quotes, trader, 'MSFT', 100)
  await noteTag()
  testApp.clock.set(new Date('2026-03-05T15:00:00Z'))
  await noteTag()
  expect(tags[4], 'time alone changes nothing').toBe(tags[3])
  await close(testApp, quotes, trader, 'AAPL', 110)
  await noteTag()
  await moveSubscription(testApp, trader, subscription, 'canceled')
  await noteTag()
  expect(new Set(tags).size, 'empty, one, two, the other one alone').toBe(4)
  expect(tags[6], 'nothing to see again').toBe(tags[0])
  expect(await tagOf(stranger, url)).toBe(tags[0])
})

test('nobody is answered 304 for what another person has', async () => {
  const trader = await makeTrader(testApp)
  const stranger = await signIn(testApp)
  await open(testApp, quotes, trader, 'AAPL', 100)
  for (const url of ['/v1/positions', '/v1/accounts/configuration']) {
    const theirs = await tagOf(trader, url)
    const answer = await read(stranger, url, theirs)
    expect(answer.status).toBe(200)
    expect(answer.headers.etag).not.toBe(theirs)
    expect(answer.text).not.toContain(trader.username)
  }
  const outside = await testApp.app.inject({ url: '/v1/positions', headers: { 'if-none-match': '*' } })
  expect([outside.statusCode, outside.headers['cache-control']]).toEqual([401, 'no-store'])
})

test('an answer to another call may not be kept, whether the call was done or refused', async () => {
  const trader = await makeTrader(testApp)
  quotes.set('AAPL', { price: 100, at: testApp.clock.now() })
  const send = async (method: 'GET' | 'POST', url: string, payload?: object) => {
    const headers = bearer(await tokenOf(testApp, trader))
    const answer = await testApp.app.inject({ method, url, headers, ...(payload && { payload }) })
    expect(answer.headers, url).not.toHaveProperty('etag')
    return [answer.statusCode, answer.headers['cache-control']]
  }
  expect(await send('POST', '/v1/positions/preview', { symbol: 'AAPL' })).toEqual([200, 'no-store'])
  const feedback = 'The chart should show the opening price.'
  expect(await send('POST', '/v1/feedback', { feedback })).toEqual([201, 'no-store'])
  expect(await send('POST', '/v1/positions/preview', {})).toEqual([400, 'no-store'])
  expect(await send('GET', '/v1/accounts/search?username=nobody-here')).toEqual([404, 'no-store'])
  expect(await send('GET', '/v1/nothing')).toEqual([404, 'no-store'])
  for (const url of ['/healthz', '/readyz', '/openapi.json', '/auth/v1/settings', '/auth/v1/health']) {
    const answer = await testApp.app.inject({ url })
    expect([url, answer.headers['cache-control']]).toEqual([url, 'no-store'])
  }
})
