import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { authWire, WIRE_VERSION } from '../../../test/sign-in/auth-wire.ts'
import { signIn } from '../../../test/sign-in/sign-in.ts'

let testApp: TestApp
let wire: ReturnType<typeof authWire>

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())

test('data is merged key by key and null deletes', async () => {
  const { token } = await signIn(testApp)
  const put = (data: object) => wire.call('PUT', '/user', { token, body: { data } })
  const first = await put({ theme: 'dark', nested: { a: 1 } })
  expect(first.body.user_metadata).toEqual({ theme: 'dark', nested: { a: 1 } })
  const second = await put({ theme: null, nested: { b: null } })
  expect(second.body.user_metadata).toEqual({ nested: { b: null } })
  expect((await wire.user(token)).body.user_metadata).toEqual({ nested: { b: null } })
  const nothing = await wire.call('PUT', '/user', { token })
  expect([nothing.status, nothing.body.user_metadata]).toEqual([200, { nested: { b: null } }])
})

test('of two changes at once none is lost', async () => {
  const { token } = await signIn(testApp)
  const keys = Array.from({ length: 12 }, (_, index) => `key${index}`)
  await Promise.all(keys.map((key) => wire.call('PUT', '/user', { token, body: { data: { [key]: 1 } } })))
  const { body } = await wire.user(token)
  expect(Object.keys(body.user_metadata as object).sort()).toEqual([...keys].sort())
})

test('a change of what is not offered is refused: password, no address, phone, app data, too much data', async () => {
  const { token } = await signIn(testApp)
  const cases: [body: object, status: number, code: string][] = [
    [{ password: 'hunter22' }, 422, 'validation_failed'],
    [{ email: 'no address' }, 400, 'validation_failed'],
    [{ phone: '+4912345' }, 422, 'validation_failed'],
    [{ app_metadata: { role: 'admin' } }, 403, 'not_admin'],
    [{ data: ['list'] }, 400, 'validation_failed'],
    [{ data: { big: 'x'.repeat(2048) } }, 400, 'validation_failed'],
    [{ data: { nul: '\u0000' } }, 400, 'validation_failed'],
    [{ data: { '\ud800': 1 } }, 400, 'validation_failed'],
  ]
  for (const [body, status, code] of cases) {
    const answer = await wire.call('PUT', '/user', { token, body })
    expect([answer.status, answer.body.code], JSON.stringify(body).slice(0, 60)).toEqual([status, code])
  }
  // Bounded as a whole: pieces that fit one by one do not add up.
  expect((await wire.call('PUT', '/user', { token, body: { data: { a: 'x'.repeat(1250) } } })).status).toBe(
    200,
  )
  expect((await wire.call('PUT', '/user', { token, body: { data: { b: 'x'.repeat(1250) } } })).status).toBe(
    400,
  )
  expect((await wire.call('PUT', '/user', { body: { data: {} } })).status).toBe(401)
})

test('identities can be read, and neither linked nor removed', { tags: ['AUTH-25'] }, async () => {
  const { token } = await signIn(testApp)
  const { body } = await wire.user(token)
  const [identity] = body.identities as { identity_id: string }[]
  const answers = [
    await wire.call('DELETE', `/user/identities/${identity?.identity_id}`, { token }),
    await wire.call('GET', '/user/identities/authorize?provider=google&skip_http_redirect=true', { token }),
  ]
  for (const answer of answers) {
    expect([answer.status, answer.body.code]).toEqual([404, 'manual_linking_disabled'])
  }
  expect((await wire.call('DELETE', '/user/identities/any')).status).toBe(401)
  expect((await wire.user(token)).body.identities).toMatchObject([
    { identity_id: identity?.identity_id, provider: 'email' },
  ])
})

test('the newer calls too speak both error shapes', async () => {
  const ask = (headers: Record<string, string>) =>
    testApp.app.inject({ method: 'PUT', url: '/auth/v1/user', headers, payload: {} })
  expect((await ask(WIRE_VERSION)).json()).toMatchObject({
    code: 'no_authorization',
    message: expect.stringContaining('Bearer'),
  })
  expect((await ask({})).json()).toMatchObject({
    code: 401,
    error_code: 'no_authorization',
    msg: expect.stringContaining('Bearer'),
  })
})

test('a session may change its account thirty times in five minutes', async () => {
  await using limited = await buildTestApp()
  const { token } = await signIn(limited)
  const put = () => authWire(limited).call('PUT', '/user', { token, body: { data: { a: 1 } } })
  for (let change = 0; change < 30; change++) expect((await put()).status).toBe(200)
  const over = await put()
  expect([over.status, over.body.code, Number(over.headers['retry-after']) > 0]).toEqual([
    429,
    'over_request_rate_limit',
    true,
  ])
})
