import { afterAll, expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../../test/build-test-app.ts'
import { silentLog } from '../../../test/database/database.ts'
import { statementsOf } from '../../../test/database/query-log.ts'
import { runOutbox } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { authWire, type WireAnswer } from '../../../test/sign-in/auth-wire.ts'
import { deliverSignInMails } from '../../../test/sign-in/sign-in-mails.ts'
import { recordReport } from '../../mail/reports/record-report.ts'
import { MailError } from '../../mail/smtp/mailer.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { mailTag } from '../../platform/return-path.ts'

const testApp = await buildTestApp({ settings: { limitsOn: false } })
const wire = authWire(testApp)
afterAll(testApp.close)

const MESSAGE = 'Mails to this address come back. Is it spelled right?'
const RETURNED = {
  code: 'email_address_invalid',
  error_code: 'email_address_invalid',
  message: MESSAGE,
  fields: { email: MESSAGE },
}
const GONE = '550 5.1.1 nobody of that name here'

/** The waiting sign-in mails go to a mail server that answers so. */
async function refuse(response: string, of: TestApp = testApp, command = 'RCPT TO'): Promise<void> {
  const code = command === 'DATA' ? 'EMESSAGE' : 'EENVELOPE'
  const fault = Object.assign(new Error('refused'), {
    code,
    command,
    response,
    responseCode: Number(response.slice(0, 3)),
  })
  await runOutbox(of, {
    kinds: ['sign_in'],
    async send() {
      throw new MailError(fault)
    },
  })
}

const answered = ({ status, body }: WireAnswer) => [status, body]
const fine = [200, {}]

test('the second request for a code is answered that mails to the address come back, and mailed all the same', async () => {
  const ask = () => wire.otp('typo@gmial.example')
  expect(answered(await ask())).toEqual(fine)
  await refuse(GONE)
  expect(answered(await ask())).toEqual([422, RETURNED])
  expect(answered(await wire.otp('<TYPO@gmial.example>.'))).toEqual([422, RETURNED])
  const again = await wire.call('POST', '/resend', { body: { email: 'typo@gmial.example', type: 'signup' } })
  expect(answered(again)).toEqual([422, RETURNED])
  const recovery = await wire.call('POST', '/recover', { body: { email: 'typo@gmial.example' } })
  expect(answered(recovery)).toEqual([422, RETURNED])
  expect(answered(await wire.otp('typo@gmail.example'))).toEqual(fine)
  await deliverSignInMails(testApp)

  // The server was wrong for a minute: the mail of the request that was refused arrives, and no request is refused again.
  await ask()
  await refuse(GONE)
  expect(answered(await ask())).toEqual([422, RETURNED])
  const [mail] = await deliverSignInMails(testApp)
  expect((await wire.verify('typo@gmial.example', mail?.code ?? '')).status).toBe(200)
  expect(answered(await ask())).toEqual(fine)
  await deliverSignInMails(testApp)
})

test('it is answered so for a day, also after the hour in which everything else of the address is forgotten', async () => {
  await wire.otp('day@gmial.example')
  await refuse(GONE)
  // A mail whose code has grown old is not sent, and proves nothing.
  expect((await wire.otp('day@gmial.example')).status).toBe(422)
  testApp.clock.advance(10 * 60_000)
  expect(await deliverSignInMails(testApp)).toEqual([])
  testApp.clock.advance(23 * 3_600_000 - 10 * 60_000)
  await runPurges(testApp)
  expect((await wire.otp('day@gmial.example')).status).toBe(422)
  testApp.clock.advance(3_600_000 + 1000)
  expect(answered(await wire.otp('day@gmial.example'))).toEqual(fine)
  await deliverSignInMails(testApp)
  await runPurges(testApp)
  testApp.clock.advance(3_600_001)
  await runPurges(testApp)
  const { rows } = await testApp.pool.query('select from sign_in_addresses')
  expect(rows).toEqual([])
})

test.each([
  ['550 5.1.2 no such domain', 'RCPT TO', 422],
  ['550 no such user here', 'RCPT TO', 422],
  ['552 5.2.2 mailbox full', 'RCPT TO', 422],
  ['550 5.1.1 nobody of that name here', 'DATA', 422],
  ['554 5.6.0 what the message says is not wanted', 'DATA', 200],
  ['550 5.7.1 you are listed', 'RCPT TO', 200],
  ['450 4.1.1 not now', 'RCPT TO', 200],
  ['550 5.1.1 you are nobody', 'MAIL FROM', 200],
])('after %s at %s the next request is answered %i', async (response, command, status) => {
  const email = `${response.replaceAll(/\W/g, '')}.${command.slice(0, 4)}@people.example`.replaceAll(' ', '')
  await wire.otp(email)
  await refuse(response, testApp, command)
  expect((await wire.otp(email)).status).toBe(status)
  await deliverSignInMails(testApp)
})

test('a bounce of the mail counts the same; one that is about us, a complaint and one of another kind of mail do not', async () => {
  const report = async (
    email: string,
    about: 'address' | 'policy',
    kind: 'bounce' | 'complaint',
    topic: 'sign-in' | 'security',
  ) => {
    await wire.otp(email)
    await deliverSignInMails(testApp)
    const { id } = await testApp.db
      .selectFrom('outbox')
      .select('id')
      .where('kind', '=', 'sign_in')
      .orderBy('created_at', 'desc')
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const report = { about, kind, topic, readerId: id, tag: mailTag(id), status: '5.1.1', smtpCode: 550 }
    await withTransaction(testApp.db, (tx) =>
      recordReport(tx, { report, source: 'mailbox' }, { log: silentLog, now: testApp.clock.now() }),
    )
    return (await wire.otp(email)).status
  }
  expect(await report('bounced@people.example', 'address', 'bounce', 'sign-in')).toBe(422)
  expect(await report('listed@people.example', 'policy', 'bounce', 'sign-in')).toBe(200)
  expect(await report('angry@people.example', 'address', 'complaint', 'sign-in')).toBe(200)
  expect(await report('other@people.example', 'address', 'bounce', 'security')).toBe(200)
  await deliverSignInMails(testApp)
})

const CHALLENGE = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
const asks = { code_challenge: CHALLENGE, code_challenge_method: 's256' }

test('the page that asked learns of it while it waits, by what it made up, and nobody else does', async () => {
  const look = (email: string, code_challenge = CHALLENGE) =>
    wire.call('POST', '/returned', { body: { email, code_challenge } })
  await wire.otp('waits@bücher.example', asks)
  expect(answered(await look('waits@bücher.example'))).toEqual([200, { returned: false }])
  await refuse(GONE)
  expect(answered(await look('Waits@xn--bcher-kva.example'))).toEqual([200, { returned: true }])
  expect(answered(await look('waits@bücher.example', `${CHALLENGE.slice(0, -1)}x`))).toEqual([
    200,
    { returned: false },
  ])
  expect(answered(await look('other@people.example'))).toEqual([200, { returned: false }])
  expect((await wire.call('POST', '/returned', { body: { email: 'waits@bücher.example' } })).status).toBe(400)
  // It ends with the code: another request is answered by itself.
  await wire.otp('waits@bücher.example')
  expect(answered(await look('waits@bücher.example'))).toEqual([200, { returned: false }])
  await deliverSignInMails(testApp)
})

/** The whole answer to a request, its statements, and the mail that it may bring. */
async function observe(of: TestApp, ask: () => Promise<WireAnswer>, deliver: () => Promise<unknown>) {
  const seen: unknown[] = []
  const statements = await statementsOf(of, async () => {
    const { status, text } = await ask()
    seen.push(status, text)
    await deliver()
  })
  return { seen, statements }
}

test.each(['/otp', '/resend', '/recover'])(
  'nothing reveals whether an address that mails come back from has an account: %s',
  async (path) => {
    await using of = await buildTestApp({ settings: { limitsOn: false } })
    const its = authWire(of)
    await its.enter('known@people.example')
    const returned = async (email: string) => {
      await its.otp(email, asks)
      await refuse(GONE, of)
    }
    await returned('known@people.example')
    await returned('other@people.example')
    for (const create_user of [true, false]) {
      for (const deliver of [() => refuse(GONE, of), () => deliverSignInMails(of)]) {
        const ask = (email: string) => () =>
          its.call('POST', path, { body: { email, create_user, type: 'signup', ...asks } })
        const known = await observe(of, ask('known@people.example'), deliver)
        const other = await observe(of, ask('other@people.example'), deliver)
        expect(known.statements.length).toBeGreaterThan(0)
        expect(other).toEqual(known)
        const look = (email: string) => () =>
          its.call('POST', '/returned', { body: { email, code_challenge: CHALLENGE } })
        const nothing = async () => undefined
        expect(await observe(of, look('other@people.example'), nothing)).toEqual(
          await observe(of, look('known@people.example'), nothing),
        )
      }
    }
  },
)
