import { afterAll, beforeAll, expect, test } from 'vitest'
import { authWire, WIRE_VERSION } from '../../test/auth-wire.ts'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'

let testApp: TestApp
let wire: ReturnType<typeof authWire>

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())

test('AUTH-20: what is not an address, or not a request for a code, is refused in words', async () => {
  const s256 = { code_challenge: 'a'.repeat(43), code_challenge_method: 's256' }
  const cases: [body: unknown, code: string][] = [
    [undefined, 'validation_failed'],
    [{}, 'validation_failed'],
    [{ email: 'abcde' }, 'validation_failed'],
    [{ email: 'a@b' }, 'validation_failed'],
    [{ email: 'two@example.com\r\nbcc: x@example.com' }, 'validation_failed'],
    [{ email: `${'a'.repeat(65)}@example.com` }, 'validation_failed'],
    [
      {
        email: `a@${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${'e'.repeat(60)}.${'f'.repeat(20)}.com`,
      },
      'validation_failed',
    ],
    [{ email: 7 }, 'validation_failed'],
    [{ email: 'ada@example.com', phone: '123' }, 'validation_failed'],
    [{ phone: '+4912345' }, 'phone_provider_disabled'],
    [{ email: 'ada@example.com', code_challenge: 'a'.repeat(43) }, 'validation_failed'],
    [{ email: 'ada@example.com', ...s256, code_challenge: 'short' }, 'validation_failed'],
    [{ email: 'ada@example.com', ...s256, code_challenge_method: 'plain' }, 'validation_failed'],
  ]
  for (const [body, code] of cases) {
    const answer = await wire.call('POST', '/otp', { body })
    expect([answer.status, answer.body.code], JSON.stringify(body)).toEqual([400, code])
  }
  expect(await testApp.db.selectFrom('otp_challenges').selectAll().execute()).toEqual([])
})

test('AUTH-20: a client sends more than is read, and that is no fault', async () => {
  const answer = await wire.otp('extra@example.com', {
    data: ['ignored', '\ud800'],
    gotrue_meta_security: {},
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 's256',
    unknown: [1, 2, 3],
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
})

test('AUTH-21: a verification needs a kind that is offered, an address and a code', async () => {
  for (const body of [
    undefined,
    { email: 'ada@example.com', token: '123456' },
    { email: 'ada@example.com', token: '123456', type: 'sms' },
    { email: 'ada@example.com', type: 'email' },
    { token: '123456', type: 'email' },
  ]) {
    const answer = await wire.call('POST', '/verify', { body })
    expect([answer.status, answer.body.code]).toEqual([400, 'validation_failed'])
  }
  for (const email of ['nobody@example.com', 'not an address']) {
    expect((await wire.verify(email, '123456')).body.code).toBe('otp_expired')
  }
})

test('AUTH-22: other grants are refused in the words that clients know', async () => {
  const password = await wire.call('POST', '/token?grant_type=password', {
    body: { email: 'a@b.co', password: 'x' },
  })
  expect([password.status, password.body.code]).toEqual([422, 'email_provider_disabled'])
  const none = await wire.call('POST', '/token', { body: {} })
  expect([none.status, none.body]).toEqual([
    400,
    { code: 'invalid_credentials', error_code: 'invalid_credentials', message: 'unsupported_grant_type' },
  ])
})

test('AUTH-02 AUTH-26: calls for a user need a bearer token', async () => {
  for (const call of [wire.call('GET', '/user'), wire.call('POST', '/logout')]) {
    const { status, body } = await call
    expect([status, body.code, body.message]).toEqual([
      401,
      'no_authorization',
      expect.stringContaining('Bearer token'),
    ])
  }
  const forged = await wire.user('a.b.c')
  expect([forged.status, forged.body.code, forged.body.message]).toEqual([
    403,
    'bad_jwt',
    expect.stringContaining('unable to parse or verify signature'),
  ])
})

test('AUTH-21: errors come in the shape that the version asks for', async () => {
  const ask = (headers: Record<string, string>) => testApp.app.inject({ url: '/auth/v1/user', headers })
  const fresh = await ask(WIRE_VERSION)
  expect(fresh.headers).toMatchObject({
    'x-supabase-api-version': '2024-01-01',
    'x-sb-error-code': 'no_authorization',
    'cache-control': 'no-store',
  })
  for (const version of ['', '2023-12-31', 'tomorrow']) {
    const old = await ask(version ? { 'x-supabase-api-version': version } : {})
    expect(old.json()).toEqual({
      code: 401,
      error_code: 'no_authorization',
      msg: 'This endpoint requires a valid Bearer token',
    })
    expect(old.headers['x-sb-error-code']).toBe('no_authorization')
  }
})

test('AUTH-21: bodies that are no JSON, or too long, are refused, and unknown paths are 404 in JSON', async () => {
  const post = (payload: string) =>
    testApp.app.inject({
      method: 'POST',
      url: '/auth/v1/otp',
      headers: { ...WIRE_VERSION, 'content-type': 'application/json' },
      payload,
    })
  expect((await post('{"email":')).json()).toMatchObject({ code: 'bad_json' })
  const long = await post(JSON.stringify({ email: 'a@example.com', data: 'x'.repeat(65 * 1024) }))
  expect([long.statusCode, long.json().code]).toEqual([413, 'validation_failed'])
  for (const path of ['/signup', '/magiclink', '/admin/users', '/nothing', '']) {
    const { status, body } = await wire.call('POST', path)
    expect([status, body.code], path).toEqual([404, 'not_found'])
  }
})

test('AUTH-21: a wrong method is 405 with the right ones, and no address under it is answered otherwise than in JSON', async () => {
  const ask = (method: 'GET' | 'PATCH', path: string) =>
    testApp.app.inject({ method, url: `/auth/v1${path}`, headers: { ...WIRE_VERSION, accept: 'text/html' } })
  for (const [method, path, allow] of [
    ['GET', '/otp', 'POST'],
    ['PATCH', '/user', 'GET, HEAD, PUT'],
    ['PATCH', '/factors/019a0000-0000-7000-8000-000000000000', 'DELETE'],
  ] as const) {
    const answer = await ask(method, path)
    expect([answer.statusCode, answer.headers.allow, answer.json().code]).toEqual([
      405,
      allow,
      'method_not_allowed',
    ])
    expect(answer.headers['cache-control']).toBe('no-store')
  }
  for (const path of ['', '/', '/nothing', '/%zz', '/user/%e0%a4', '//user']) {
    const answer = await ask('GET', path)
    expect([answer.statusCode, answer.json().error_code], path).toEqual([404, 'not_found'])
    expect(answer.headers).not.toHaveProperty('allow')
  }
})

test('AUTH-19: the published keys may be kept for ten minutes and hold nothing private', async () => {
  const { status, body, headers } = await wire.call('GET', '/.well-known/jwks.json')
  expect(status).toBe(200)
  expect(headers['cache-control']).toBe('public, max-age=600')
  expect(body).toEqual({
    keys: [
      {
        kty: 'EC',
        crv: 'P-256',
        x: expect.any(String),
        y: expect.any(String),
        kid: expect.any(String),
        alg: 'ES256',
        use: 'sig',
        key_ops: ['verify'],
      },
    ],
  })
})

test('AUTH-20: settings and health answer anybody', async () => {
  const settings = await wire.call('GET', '/settings')
  expect(settings.body).toMatchObject({
    external: { email: true, phone: false, google: false, anonymous_users: false },
    disable_signup: false,
    mailer_autoconfirm: false,
    sms_provider: '',
  })
  expect((await wire.call('GET', '/health')).body).toMatchObject({ name: 'GoTrue' })
})

test('AUTH-20: a foreign page may not call, ours may and can read the error headers', async () => {
  const preflight = (origin: string) =>
    testApp.app.inject({
      method: 'OPTIONS',
      url: '/auth/v1/otp',
      headers: { origin, 'access-control-request-method': 'POST' },
    })
  expect(
    (await preflight('https://elsewhere.example')).headers['access-control-allow-origin'],
  ).toBeUndefined()
  expect((await preflight(testApp.settings.origin)).headers).toMatchObject({
    'access-control-allow-origin': testApp.settings.origin,
    'access-control-allow-credentials': 'true',
  })
})
