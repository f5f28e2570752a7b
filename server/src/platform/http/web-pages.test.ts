import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { type WebRoute, webRoutes } from '@tradepost/contract/web-routes'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../../test/database/database.ts'
import { makeHttpServer } from './http-server.ts'
import { readWebDocuments } from './web-documents.ts'
import { serveWebPages } from './web-pages.ts'

const origin = 'https://tradepost.example'
const settings = {
  marketOverride: null,
  platformFeePercent: 12.5,
  subscription: { priceCents: 490, currency: 'eur' },
  sandbox: null,
}
const routes: readonly WebRoute[] = Object.values(webRoutes)
const ADDED: WebRoute = { path: '/added/:username/page', signedIn: { screen: 'search', title: 'Added' } }

const closing: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closing.splice(0)) await close()
})

/** The real HTTP server with a web app of three documents. */
async function serve(served: readonly WebRoute[]) {
  const dist = mkdtempSync(join(tmpdir(), 'tradepost-pages-'))
  closing.push(() => rmSync(dist, { recursive: true }))
  for (const file of ['index.html', 'login.html', 'app.html']) {
    writeFileSync(join(dist, file), `${file} of __ORIGIN__ at __PRICE__ less __FEE_PERCENT__ % __SETTINGS__`)
  }
  mkdirSync(join(dist, 'assets'))
  for (const file of ['assets/app-1a2b3c.js', 'icon.svg']) writeFileSync(join(dist, file), 'x')
  writeFileSync(join(dist, 'csp.json'), JSON.stringify({ scripts: [], styles: [] }))
  const app = await makeHttpServer({ log: silentLog, origin, trustProxy: null, limitsOn: false })
  closing.push(() => app.close())
  const documents = readWebDocuments(settings, origin, dist)
  await serveWebPages(app, { dist, documents, routes: served })
  return app
}

/** Status and document of an address. */
async function open(app: Awaited<ReturnType<typeof serve>>, url: string): Promise<string> {
  const answer = await app.inject({ url, headers: { accept: 'text/html' } })
  expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  return `${answer.statusCode} ${answer.body.split(' ')[0]}`
}

test('every route of the table answers 200 with its document, with a slash at the end too', async () => {
  const app = await serve(routes)
  const answers = Object.fromEntries(
    await Promise.all(
      routes.map(async ({ path }) => [path, await open(app, path.replace(':username', 'maria'))] as const),
    ),
  )
  expect(answers).toEqual({
    '/': '200 index.html',
    '/login': '200 login.html',
    '/leaderboard': '200 app.html',
    '/search': '200 app.html',
    '/trade': '200 app.html',
    '/trader/:username': '200 app.html',
    '/trader/:username/subscribe': '200 app.html',
    '/payment/success': '200 app.html',
    '/account': '200 app.html',
    '/feedback': '200 app.html',
    '/activity': '200 app.html',
  })
  for (const path of ['/leaderboard/', '/trader/maria/', '/trader/maria/subscribe/?canceled=1']) {
    expect(await open(app, path), path).toBe('200 app.html')
  }
})

test('files whose name contains a hash of their content are kept for a year, others for an hour', async () => {
  const app = await serve(routes)
  const keeping = async (url: string) => (await app.inject({ url })).headers['cache-control']
  expect(await keeping('/assets/app-1a2b3c.js')).toBe('public, max-age=31536000, immutable')
  expect(await keeping('/icon.svg')).toBe('public, max-age=3600')
})

test('the page of a trader is found with the sign that is written before a name', async () => {
  const app = await serve(routes)
  for (const path of ['/trader/@maria', '/trader/%EF%BC%A0Maria/subscribe', '/trader/%E2%80%8B@maria/']) {
    expect(await open(app, path), path).toBe('200 app.html')
  }
})

test('other paths, and names that nobody can have, answer 404 with the shell', async () => {
  const app = await serve(routes)
  for (const path of [
    '/no/such/place',
    '/styles',
    '/Search',
    '/trader',
    '/trader/',
    '/trader/a',
    '/trader/@',
    '/trader/@a',
    '/trader/a%2Fb/subscribe',
  ]) {
    expect(await open(app, path), path).toBe('404 app.html')
  }
})

test('an unknown address is a page to a browser wherever no call lives, whatever it looks like', async () => {
  const app = await serve(routes)
  app.post('/push/off', async () => ({ ok: true }))
  app.get('/mail/unsubscribe/:token', async (_request, reply) => reply.code(404).send('no such link'))
  for (const path of [
    '/mail',
    '/mail/zzz',
    '/mail/%zz',
    '/push',
    '/push/zzz',
    '/vault',
    '/evil.example',
    '//evil.example',
    '/index.html',
    '/app.html',
    '/csp.json',
    '/assets/none.js',
  ]) {
    expect(await open(app, path), path).toBe('404 app.html')
    const asked = await app.inject({ method: 'HEAD', url: path, headers: { accept: '*/*' } })
    expect([asked.statusCode, asked.headers['content-type'], asked.body], path).toEqual([
      404,
      'text/html; charset=utf-8',
      '',
    ])
  }
  for (const [path, status] of [
    ['/v1', 404],
    ['/v1/zzz.html', 404],
    ['/v1/%zz', 404],
    ['/auth/zzz', 404],
    ['/webhooks', 404],
    ['/webhooks/zzz', 404],
    ['/push/off', 405],
  ] as const) {
    const answer = await app.inject({ url: path, headers: { accept: 'text/html' } })
    expect(answer.statusCode, path).toBe(status)
    expect(answer.json(), path).toMatchObject({ code: status === 405 ? 'method_not_allowed' : 'not_found' })
  }
  expect((await app.inject({ method: 'POST', url: '/push/off' })).json()).toEqual({ ok: true })
  const link = await app.inject({ url: '/mail/unsubscribe/none', headers: { accept: 'text/html' } })
  expect(link.body).toBe('no such link')
})

test('no answer refuses a method that it allows, and a file that is not served has no method', async () => {
  const app = await serve(routes)
  const ask = async (method: 'GET' | 'HEAD' | 'PATCH', url: string) => {
    const { statusCode, headers } = await app.inject({ method, url, headers: { accept: 'application/json' } })
    return [statusCode, headers.allow]
  }
  expect(await ask('GET', '/trader/a')).toEqual([404, undefined])
  expect(await ask('HEAD', '/trader/a')).toEqual([404, undefined])
  expect(await ask('PATCH', '/trader/a')).toEqual([405, 'GET, HEAD'])
  expect(await ask('PATCH', '/icon.svg')).toEqual([405, 'GET, HEAD'])
  expect(await ask('PATCH', '/index.html')).toEqual([404, undefined])
})

test('the documents name the origin, the price and the fee of this server', async () => {
  const app = await serve(routes)
  const { body } = await app.inject({ url: '/' })
  expect(body).toContain(
    'index.html of https://tradepost.example at €4.90 less 12.5 % {"marketOverride":null',
  )
})

test('a route that is added to the table alone is served', async () => {
  const before = await serve(routes)
  expect(await open(before, '/added/maria/page')).toBe('404 app.html')
  const after = await serve([...routes, ADDED])
  expect(await open(after, '/added/maria/page')).toBe('200 app.html')
  expect(await open(after, '/added/no%20name/page')).toBe('404 app.html')
})

test('a route with a named segment of which nothing is known is refused at start', async () => {
  await expect(
    serve([{ path: '/added/:ticker', signedIn: { screen: 'search', title: 'Added' } }]),
  ).rejects.toThrow('Nothing says which values ":ticker" of the path /added/:ticker can have')
})

test('a document is sent as small as it gets to whom it may be, and as it is to others', async () => {
  const app = await serve(routes)
  const as = (encoding: string) => app.inject({ url: '/', headers: { 'accept-encoding': encoding } })
  const plain = await app.inject({ url: '/' })
  const packed = await as('gzip, deflate, br, zstd')
  expect(packed.headers).toMatchObject({
    'content-encoding': 'br',
    vary: 'Origin, accept-encoding',
    'content-type': 'text/html; charset=utf-8',
  })
  expect(brotliDecompressSync(packed.rawPayload).toString()).toBe(plain.body)
  for (const encoding of ['gzip', 'br;q=0', 'identity']) {
    const other = await as(encoding)
    expect([other.headers['content-encoding'], other.body], encoding).toEqual([undefined, plain.body])
    expect(other.headers.vary, encoding).toBe('Origin, accept-encoding')
  }
})

test('to a page of its own the server sends no rule of what other origins may read, but declares that their answer differs', async () => {
  const app = await serve(routes)
  for (const headers of [{}, { host: 'tradepost.example', origin }]) {
    const own = await app.inject({ url: '/', headers })
    expect(Object.keys(own.headers).filter((name) => name.startsWith('access-control-'))).toEqual([])
    expect(own.headers.vary).toContain('Origin')
  }
  const other = await app.inject({ url: '/', headers: { origin } })
  expect(other.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
    'access-control-expose-headers': 'x-supabase-api-version, x-sb-error-code, retry-after, x-known-device',
  })
})
