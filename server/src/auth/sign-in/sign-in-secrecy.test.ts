import { Writable } from 'node:stream'
import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { buildTestApp } from '../../../test/build-test-app.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { authWire, type WireAnswer, wrongCode } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { makeSecretKey } from '../keys/secret-key.ts'
import { isCodeOf } from './one-time-code.ts'

/** The content of an answer, without the parts that differ between any two: the second, and the counts of limits. */
function contentOf(answer: WireAnswer) {
  const {
    date: _date,
    // Drawn for each request.
    'x-request-id': _requestId,
    'x-ratelimit-remaining': _remaining,
    'x-ratelimit-reset': _reset,
    ...headers
  } = answer.headers
  return { status: answer.status, text: answer.text, headers }
}

test('known and unknown addresses get the same bytes and status, and run the same statements', async () => {
  await using testApp = await buildTestApp({ settings: { codeSpacingSeconds: 60 } })
  const wire = authWire(testApp)
  await wire.enter('known@example.com')
  testApp.clock.advance(3_600_000)
  // Both have been written to before: only one of them has a user.
  await wire.otp('other@example.com')
  await wire.otp('known@example.com')
  testApp.clock.advance(60_000)

  async function observe(email: string, ask: (email: string) => Promise<WireAnswer>) {
    const seen: object[] = []
    const statements = await statementsOf(testApp, async () => seen.push(contentOf(await ask(email))))
    return { seen, statements }
  }
  const asks: ((email: string) => Promise<WireAnswer>)[] = [
    (email) => wire.otp(email),
    // Within the spacing: the refusal is the same for both.
    (email) => wire.otp(email),
    (email) => wire.verify(email, '000000'),
  ]
  for (const [at, ask] of asks.entries()) {
    if (at === 2) await deliverSignInMails(testApp)
    const known = await observe('known@example.com', ask)
    const unknown = await observe('other@example.com', ask)
    expect(known.statements.length).toBeGreaterThan(0)
    expect(unknown).toEqual(known)
  }
  const never = await observe('never@example.com', (email) => wire.otp(email))
  testApp.clock.advance(60_000)
  const known = await observe('known@example.com', (email) => wire.otp(email))
  expect(never).toEqual(known)

  const withoutCreating = (email: string) => wire.otp(email, { create_user: false })
  testApp.clock.advance(60_000)
  expect(await observe('other@example.com', withoutCreating)).toEqual(
    await observe('known@example.com', withoutCreating),
  )
})

/** The ways to ask for a mail, and the type of the code that each mails. */
const WAYS: [name: string, type: string, path: string, body: object][] = [
  ['a code', 'email', '/otp', { create_user: true }],
  ['a code for those who have a user', 'email', '/otp', { create_user: false }],
  ['a recovery', 'recovery', '/recover', {}],
  ['the mail again', 'email', '/resend', { type: 'signup' }],
]

test.each(WAYS)(
  'asked for %s, mailed, and tried with three wrong codes, a known and an unknown address run the same statements',
  { tags: ['AUTH-23'] },
  async (_name, type, path, body) => {
    await using testApp = await buildTestApp()
    const wire = authWire(testApp)
    await wire.enter('known@example.com')
    testApp.clock.advance(3_600_000)
    const entries = async () => {
      const { rows } = await sql<{ count: number }>`select count(*)::int as count from audit_log`.execute(
        testApp.db,
      )
      return rows[0]?.count ?? 0
    }
    async function observe(email: string, ip: string) {
      const seen: object[] = []
      const before = await entries()
      const statements = await statementsOf(testApp, async () => {
        seen.push(contentOf(await wire.call('POST', path, { body: { ...body, email }, ip })))
        await deliverSignInMails(testApp)
        for (const token of ['000001', '000002', '000003']) {
          seen.push(contentOf(await wire.call('POST', '/verify', { body: { email, token, type }, ip })))
        }
      })
      return { seen, statements, entries: (await entries()) - before }
    }
    const known = await observe('known@example.com', '192.0.2.1')
    const unknown = await observe('other@example.com', '192.0.2.2')
    // Asked for, drawn and refused with a record of it, three times: nothing was cut short.
    expect(known.entries).toBe(4)
    expect(unknown).toEqual(known)
  },
)

test('a code that went to nobody signs nobody in', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.otp('other@example.com', { create_user: false })
  expect(await deliverSignInMails(testApp)).toEqual([])
  const challenge = await testApp.db.selectFrom('otp_challenges').selectAll().executeTakeFirstOrThrow()
  const secret = makeSecretKey(testApp.settings.authSecret)
  const codes = Array.from({ length: 1_000_000 }, (_, code) => String(code).padStart(6, '0'))
  expect(challenge.code_hmac).toHaveLength(32)
  expect(codes.filter((code) => isCodeOf(secret, challenge, code))).toEqual([])
})

test('the first sign-in of an address runs the same statements as the next', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const wire = authWire(testApp)
  // The signing key is made at the very first sign-in of all.
  await wire.enter('somebody@example.com')
  const first = await wire.mailTo('ada@example.com')
  const once = await statementsOf(testApp, () => wire.verify('ada@example.com', first.code))
  const second = await wire.mailTo('ada@example.com')
  const again = await statementsOf(testApp, () => wire.verify('ada@example.com', second.code))
  expect(again).toEqual(once)
})

test('addresses, codes, links and tokens never reach the log, even when the database fails', async () => {
  const lines: string[] = []
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  await using testApp = await buildTestApp({
    settings: { limitsOn: false },
    log: pino({ level: 'trace' }, sink),
  })
  const wire = authWire(testApp)
  const email = 'canary.address@example.com'
  const mail = await wire.mailTo(email)
  await wire.verify(email, wrongCode(mail.code))
  const { body } = await wire.verify(email, mail.code)
  const session = body as unknown as { access_token: string; refresh_token: string }
  await wire.refresh(session.refresh_token)
  await wire.refresh('canary-refresh-token')
  await wire.user(session.access_token)
  await testApp.db.schema.alterTable('sessions').renameTo('sessions_away').execute()
  await testApp.db.schema.alterTable('otp_challenges').renameTo('challenges_away').execute()
  // From now on the database's own message quotes the address, as those about bad values do.
  await sql`create function quote_address() returns trigger language plpgsql as
    'begin raise exception ''no room for %'', new.email; end'`.execute(testApp.db)
  await sql`create trigger quote_address before insert on sign_in_addresses
    for each row execute function quote_address()`.execute(testApp.db)
  const failures = [
    await wire.refresh(session.refresh_token),
    await wire.user(session.access_token),
    await wire.verifyLink(mail.tokenHash),
    await wire.otp(email),
  ]
  expect(failures.map(({ status, body: { code } }) => [status, code])).toEqual(
    failures.map(() => [500, 'unexpected_failure']),
  )
  const log = lines.join('')
  expect(log).toContain('a sign-in request failed')
  const canaries = [email, 'canary', mail.tokenHash, session.access_token, session.refresh_token]
  for (const canary of [...canaries, testApp.settings.authSecret]) expect(log).not.toContain(canary)
  expect(log).not.toMatch(new RegExp(`\\b${mail.code}\\b`))
})
