import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { authWire, WIRE_VERSION } from '../../test/sign-in/auth-wire.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'

let testApp: TestApp
let wire: ReturnType<typeof authWire>

beforeAll(async () => {
  testApp = await buildTestApp({ settings: { limitsOn: false } })
  wire = authWire(testApp)
})
afterAll(() => testApp.close())

test('a text that is no address, and a body that is no request for a code, are refused in words', async () => {
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

test('a client may send more fields than are read', async () => {
  const answer = await wire.otp('extra@example.com', {
    data: ['ignored', '\ud800'],
    gotrue_meta_security: {},
    code_challenge: 'a'.repeat(43),
    code_challenge_method: 's256',
    unknown: [1, 2, 3],
  })
  expect([answer.status, answer.text]).toEqual([200, '{}'])
})

test('a verification needs a kind that is offered, an address and a code', async () => {
  for (const body of [
    undefined,
    { email: 'ada@example.com', token: '123456' },
    { email: 'ada@example.com', token: '123456', type: 'carrier_pigeon' },
    { token_hash: 'x', type: 'sms' },
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

test('a code of a kind that is never sent is a wrong one, as the reference server answers', async () => {
  for (const type of ['sms', 'phone_change']) {
    for (const body of [
      { phone: '+4912345678', token: '123456', type },
      { phone: '+4912345678', token: '123456', type, options: {} },
      { email: 'ada@example.com', token: '123456', type },
    ]) {
      const answer = await wire.call('POST', '/verify', { body })
      expect([answer.status, answer.body]).toEqual([
        403,
        { code: 'otp_expired', error_code: 'otp_expired', message: 'Token has expired or is invalid' },
      ])
    }
    for (const body of [
      { token: '123456', type },
      { phone: '+4912345678', type },
    ]) {
      expect((await wire.call('POST', '/verify', { body })).status).toBe(400)
    }
  }
})

test('a text that cannot be a phone number is refused as that, not as a wrong code', async () => {
  const verify = (phone: string) =>
    wire.call('POST', '/verify', { body: { phone, token: '123456', type: 'sms' } })
  const message = 'Invalid phone number format (E.164 required)'
  for (const phone of ['4912345678-invalid', '+', '++4912345678', '04912345678', '1234567890123456', '4']) {
    const { status, body } = await verify(phone)
    expect([status, body], phone).toEqual([
      400,
      { code: 'validation_failed', error_code: 'validation_failed', message, fields: { phone: message } },
    ])
  }
  for (const phone of ['4912345678', '+49 1234 5678', '123456789012345', '12']) {
    expect((await verify(phone)).body.code, phone).toBe('otp_expired')
  }
})

test('an address whose domain names are resolved to something else is refused, and nothing is stored', async () => {
  for (const email of ['a@1.2', 'A@0x7F.1', 'a@example.0x1', 'a@example.1']) {
    const { status, body } = await wire.otp(email)
    const message = 'Mail cannot be sent to this domain'
    expect([status, body], email).toEqual([
      422,
      {
        code: 'email_address_invalid',
        error_code: 'email_address_invalid',
        message,
        fields: { email: message },
      },
    ])
    expect((await wire.call('POST', '/recover', { body: { email } })).status).toBe(422)
    expect((await wire.verify(email, '123456')).body.code).toBe('otp_expired')
  }
  const { rows } = await sql`select email from sign_in_addresses where email like 'a@%'`.execute(testApp.db)
  expect(rows).toEqual([])
})

test('a refusal names the field that is at fault, in both shapes, and never what was in it', async () => {
  const challenge = 'a'.repeat(43)
  const email = 'ada@example.com'
  const cases: [path: string, body: object, field: string][] = [
    ['/otp', {}, 'email'],
    ['/otp', { email: 'canary' }, 'email'],
    ['/otp', { email: 7 }, 'email'],
    ['/otp', { email, phone: '+49' }, 'phone'],
    ['/otp', { email, create_user: 'canary' }, 'create_user'],
    ['/otp', { email, code_challenge: 'canary', code_challenge_method: 's256' }, 'code_challenge'],
    ['/otp', { email, code_challenge: challenge, code_challenge_method: 'canary' }, 'code_challenge_method'],
    ['/resend', { email, type: 'canary' }, 'type'],
    ['/recover', { email: ['canary'] }, 'email'],
    ['/verify', { email, token: '123456' }, 'type'],
    ['/verify', { email, token: '123456', type: 'canary' }, 'type'],
    ['/verify', { email, type: 'email' }, 'token'],
    ['/verify', { token: '123456', type: 'email' }, 'email'],
    ['/verify', { email, token_hash: 'x', type: 'email' }, 'token_hash'],
    ['/verify', { phone: 'canary', token: '123456', type: 'phone_change' }, 'phone'],
    ['/link', {}, 'token_hash'],
    ['/token?grant_type=refresh_token', {}, 'refresh_token'],
    ['/token?grant_type=pkce', { auth_code: 'canary' }, 'code_verifier'],
  ]
  for (const [path, body, field] of cases) {
    const answer = await wire.call('POST', path, { body })
    const { code, fields } = answer.body as { code: string; fields: Record<string, string> }
    const named = [answer.status, code, Object.keys(fields ?? {}), typeof fields?.[field]]
    expect(named, `${path} ${JSON.stringify(body)}`).toEqual([400, 'validation_failed', [field], 'string'])
    expect(answer.text).not.toContain('canary')
  }
  const old = await testApp.app.inject({ method: 'POST', url: '/auth/v1/otp', payload: {} })
  expect(old.json()).toMatchObject({ code: 400, fields: { email: 'One of email or phone must be set' } })
  const list = await wire.call('POST', '/otp', { body: ['a list'] })
  expect([list.status, list.body.fields]).toEqual([400, undefined])
  const { token } = await signIn(testApp)
  const put = (body: object) => wire.call('PUT', '/user', { token, body })
  expect((await put({ password: 'canary' })).body.fields).toEqual({ password: 'Passwords are not offered' })
  expect((await put({ data: { a: 'x'.repeat(2048) } })).body.fields).toEqual({ data: expect.any(String) })
  const out = await wire.call('POST', '/logout?scope=canary', { token })
  expect([out.status, out.body.fields]).toEqual([400, { scope: 'Unsupported logout scope' }])
})

test('other grants are refused in the words that clients know', async () => {
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

test('calls for a user need a bearer token', async () => {
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

test('errors come in the shape that the version asks for', async () => {
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

test('bodies that are no JSON, or too long, are refused, and unknown paths are 404 in JSON', async () => {
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

test('a wrong method is 405 with the right ones, and no address under it is answered otherwise than in JSON', async () => {
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

test('the published keys may be kept for ten minutes and hold nothing private', {
  tags: ['AUTH-19'],
}, async () => {
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

test('settings and health answer anybody', async () => {
  const settings = await wire.call('GET', '/settings')
  expect(settings.body).toMatchObject({
    external: { email: true, phone: false, google: false, anonymous_users: false },
    disable_signup: false,
    mailer_autoconfirm: false,
    sms_provider: '',
  })
  expect((await wire.call('GET', '/health')).body).toMatchObject({ name: 'GoTrue', version: 'v1.0.0' })
})

test('a foreign page may not call, ours may and can read the error headers', async () => {
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
