import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { makeTrader, open, subscribe } from '../../../test/factories.ts'
import { startDeliveryScenario } from '../../../test/mails/delivery-scenario.ts'
import { listenOnLoopback } from '../../../test/open-feed.ts'
import { startQuoteServer } from '../../../test/prices/quote-server.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

async function mutedAt(testApp: TestApp): Promise<(Date | null)[]> {
  const { rows } = await testApp.pool.query<{ mail_muted_at: Date | null }>(
    'select mail_muted_at from subscriptions order by mail_no',
  )
  return rows.map((row) => row.mail_muted_at)
}

async function followed(testApp: TestApp, username: string) {
  const trader = await makeTrader(testApp, username)
  const subscriber = await signIn(testApp)
  await subscribe(testApp, subscriber, trader)
  const { rows } = await testApp.pool.query<{ token: string }>('select token from unsubscribe_tokens')
  return { trader, subscriber, url: `/mail/unsubscribe/${rows[0]?.token}` }
}

const oneClick = {
  payload: 'List-Unsubscribe=One-Click',
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
}

test('opening the link changes nothing, however often; its first button posts to itself', async () => {
  await using testApp = await buildTestApp()
  const { url } = await followed(testApp, 'maria')
  for (const method of ['GET', 'HEAD', 'GET'] as const) {
    const response = await testApp.app.inject({ method, url })
    expect(response.statusCode).toBe(200)
    expect(response.headers['content-type']).toBe('text/html; charset=utf-8')
  }
  const { body, headers } = await testApp.app.inject({ method: 'GET', url })
  expect(body).toContain('Stop mails about @maria?')
  expect(body.match(/<button/g)).toHaveLength(2)
  expect(body.indexOf('<form method="post">')).toBeLessThan(body.indexOf(`action="${url}/all"`))
  expect(body).not.toContain('<script')
  expect(body).toContain('<a href="/">Keep them</a>')
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; form-action 'self'/,
  )
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['referrer-policy']).toBe('no-referrer')
  expect(await mutedAt(testApp)).toEqual([null])
})

test('one click stops the mails without signing in; a second changes nothing', async () => {
  await using testApp = await buildTestApp()
  const { url } = await followed(testApp, 'maria')
  const first = testApp.clock.now()
  const response = await testApp.app.inject({ method: 'POST', url, ...oneClick })
  expect(response.statusCode).toBe(200)
  expect(response.body).toContain('no more mails about @maria')
  expect(response.body).toContain('<a href="/trader/maria">View @maria</a>')
  testApp.clock.advance(60_000)
  for (const request of [
    oneClick,
    {},
    { payload: '{', headers: { 'content-type': 'application/json' } },
    { payload: '--x--', headers: { 'content-type': 'multipart/form-data; boundary=x' } },
  ]) {
    expect((await testApp.app.inject({ method: 'POST', url, ...request })).statusCode).toBe(200)
  }
  expect(await mutedAt(testApp)).toEqual([first])
})

test.each([
  ['a form of two kilobytes', 'application/x-www-form-urlencoded', `a=${'b'.repeat(2048)}`],
  ['a form of 100 kilobytes', 'application/x-www-form-urlencoded', 'b'.repeat(100_000)],
  ['an empty type', '', 'List-Unsubscribe=One-Click'],
  ['a type that is none', 'x', 'List-Unsubscribe=One-Click'],
  ['a type of another alphabet', 'text/plain; charset=koi8-r', 'List-Unsubscribe=One-Click'],
  ['JSON that is none', 'application/json', '{'],
  ['nothing', 'application/json', ''],
])('one click with %s stops the mails, since the address decides', async (_what, type, payload) => {
  await using testApp = await buildTestApp()
  const { url } = await followed(testApp, 'maria')
  const origin = await listenOnLoopback(testApp)
  const answer = await fetch(origin + url, {
    method: 'POST',
    headers: { 'content-type': type },
    body: payload,
  })
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain('no more mails about @maria')
  expect(await mutedAt(testApp)).toEqual([testApp.clock.now()])
})

test('an unknown, cut or made-up token is met with a friendly page and changes nothing', async () => {
  await using testApp = await buildTestApp()
  const { url } = await followed(testApp, 'maria')
  const urls = [
    url.slice(0, -1),
    `${url}x`,
    '/mail/unsubscribe/AAAAAAAAAAAAAAAAAAAAAA',
    '/mail/unsubscribe/x',
    '/mail/unsubscribe/%00%27%3Cscript%3E',
    `/mail/unsubscribe/${'a'.repeat(500)}`,
  ]
  for (const wrong of urls) {
    for (const method of ['GET', 'POST'] as const) {
      const response = await testApp.app.inject({ method, url: wrong, ...(method === 'POST' && oneClick) })
      expect(response.statusCode).toBe(404)
      expect(response.body).toContain('This link leads nowhere')
    }
  }
  expect(await mutedAt(testApp)).toEqual([null])
})

test('a request during a fault, or beyond the limit, gets an error page that holds nothing of the fault', async () => {
  await using testApp = await buildTestApp()
  const { url } = await followed(testApp, 'maria')
  await testApp.pool.query('alter table unsubscribe_tokens rename to elsewhere')
  for (const method of ['GET', 'POST'] as const) {
    const { statusCode, body, headers } = await testApp.app.inject({ method, url })
    expect(statusCode).toBe(500)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
    expect(headers['content-security-policy']).toContain("default-src 'none'")
    expect(body).toContain('<h1>Something went wrong</h1>')
    expect(body).not.toContain('unsubscribe_tokens')
  }
  await testApp.pool.query('alter table elsewhere rename to unsubscribe_tokens')
  let answer = await testApp.app.inject({ method: 'GET', url })
  expect(answer.body).toContain('Stop mails about @maria?')
  for (let asked = 0; asked < 1300 && answer.statusCode !== 429; asked += 1)
    answer = await testApp.app.inject({ method: 'GET', url: '/mail/unsubscribe/x' })
  expect(answer.statusCode).toBe(429)
  expect(answer.headers['retry-after']).toMatch(/^\d+$/)
  expect(answer.body).toContain('<h1>Please wait a moment</h1>')
})

test('the link in a mail works as the mail promises, and only that trader falls silent', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes })
  await using scenario = await startDeliveryScenario({ app: testApp })
  const { sink } = scenario
  const { trader, subscriber } = await followed(testApp, 'maria')
  const other = await makeTrader(testApp, 'other')
  await subscribe(testApp, subscriber, other)
  await scenario.startWorker()
  await open(testApp, quotes, trader, 'AAPL', 10)
  await sink.until(() => sink.total() === 1)
  const raw = sink.kept[0]?.raw ?? ''
  expect(raw).toContain('\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n')
  const link = new URL(/\r\nList-Unsubscribe:\s+<(.*)>\r\n/.exec(raw)?.[1] ?? '')
  expect(link.origin).toBe('https://tradepost.example')
  const response = await testApp.app.inject({ method: 'POST', url: link.pathname, ...oneClick })
  expect(response.statusCode).toBe(200)

  await open(testApp, quotes, trader, 'MSFT', 10)
  await open(testApp, quotes, other, 'MSFT', 10)
  await sink.until(() => sink.total() === 2)
  expect(sink.kept[1]?.raw).toContain('Subject: @other opened MSFT at $10.00')
})
