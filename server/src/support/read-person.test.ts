import { expect, test } from 'vitest'
import { buildTestApp, type TestApp } from '../../test/build-test-app.ts'
import { call, close, completePayouts, makeTrader, open, subscribe } from '../../test/factories.ts'
import { startQuoteServer } from '../../test/prices/quote-server.ts'
import { runOperator } from '../../test/run-operator.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { suspendPerson } from '../accounts/suspend-person.ts'
import { makeSecretKey } from '../auth/keys/secret-key.ts'

const suspend = ({ clock, db, settings }: TestApp, who: string, reason: string) =>
  suspendPerson({ db, secret: makeSecretKey(settings.authSecret) }, who, reason, clock.now())

/** The page's lines behind their headings. */
async function pageOf(
  testApp: TestApp,
  who: string,
): Promise<{ text: string; of(heading: string): string | undefined }> {
  const text = await runOperator(testApp, 'person', who)
  return { text, of: (heading) => new RegExp(`^${heading}: +(.*)$`, 'm').exec(text)?.[1] }
}

test('the operator reads on one page what is known about a person, by address or name, and the reading is audited', async () => {
  await using quotes = await startQuoteServer()
  await using testApp = await buildTestApp({ quotes, settings: { limitsOn: false } })
  const { clock, pool } = testApp
  const [maria, jose] = [await makeTrader(testApp, 'maria'), await makeTrader(testApp, 'jose')]
  const ann = await signIn(testApp, { email: 'ann@example.com' })
  await completePayouts(testApp, maria)
  const followed = await subscribe(testApp, ann, maria)
  await subscribe(testApp, maria, jose, 'past_due')
  await call(testApp, maria, 'POST', '/v1/accounts/about', { about: 'Holds for weeks.' })
  await call(testApp, maria, 'POST', '/v1/accounts/position-mails', { enabled: false })
  await open(testApp, quotes, maria, 'AAPL', 100)
  await open(testApp, quotes, maria, 'MSFT', 100)
  clock.advance(86_400_000)
  await close(testApp, quotes, maria, 'AAPL', 110)
  await pool.query(
    `insert into invoices (trader_id, invoice_id, subscription_id, status, amount_due_cents, amount_paid_cents, refunded_cents,
       currency, created_at, paid_at, synced_at) values ($1, 'in_1', $2, 'paid', 1000, 1000, 250, 'usd', $3, $3, $3)`,
    [maria.userId, followed, clock.now()],
  )
  await pool.query('insert into suppressions (user_id, cause, created_at) values ($1, $2, $3)', [
    maria.userId,
    'bounced',
    clock.now(),
  ])
  await suspend(testApp, '@maria', 'Copied signals.')

  const page = await pageOf(testApp, '@Maria')
  expect(page.of('Person')).toBe(maria.userId)
  expect(page.of('Address')).toContain(`${maria.email}, `)
  expect(page.of('Account')).toBe('since 2026-03-04 15:00:00 UTC')
  expect(page.of('Username')).toBe('@maria, since 2026-03-04 15:00:00 UTC')
  expect(page.of('Profile')).toBe('no public page, says something about themselves')
  expect(page.of('Suspended')).toBe('since 2026-03-05 15:00:00 UTC')
  expect(page.text).toContain('\n  from 2026-03-05 15:00:00 UTC: Copied signals.\n')
  expect(page.of('Sessions')).toMatch(/^1, last used 2026-03-0\d \S+ UTC with .* from .*, /)
  expect(page.of('Second step')).toBe('off')
  expect(page.of('Mails')).toMatch(/^withheld \(bounced\) since 2026-03-05 15:00:00 UTC, \d waiting$/)
  expect(page.of('Of positions')).toBe('off for all traders since 2026-03-04 15:00:00 UTC')
  expect(page.of('Of renewals')).toBe('on')
  expect(page.of('Devices')).toBe('0 with notifications')
  expect(page.of('Positions')).toBe('1 open, 1 closed, 0 struck, last act 2026-03-05 15:00:00 UTC')
  expect(page.of('Followers')).toBe('1 active')
  expect(page.of('Customer')).toBe('no')
  expect(page.of('Payouts')).toBe(`ready, acct_${maria.userId}`)
  expect(page.of('Has paid')).toBe('nothing')
  expect(page.of('Was paid')).toBe('$10.00 in 1, $2.50 returned')
  expect(page.of('Owed at Stripe')).toBe('nothing')
  expect(page.of('Follows')).toBe('1')
  expect(page.text).toMatch(
    /\n {2}@jose, past_due, since 2026-03-04 15:00:00 UTC, \$10 a month, mails on, sub_\S+\n\nLast entries of the audit log\n/,
  )
  expect(page.text).toMatch(
    new RegExp(`\n  2026-03-05T\\S+  suspended  ${maria.userId}  -  by operator  -  -\n`),
  )
  expect(page.text).not.toContain('person_read')
  for (const secret of ['AAPL', 'Holds for weeks', 'ann@example.com']) expect(page.text).not.toContain(secret)

  const again = await pageOf(testApp, ' ANN@example.com ')
  expect(again.of('Username')).toBe('none yet')
  expect(again.of('Has paid')).toBe('$10.00 in 1, $2.50 returned')
  expect(again.of('Positions')).toBe('0 open, 0 closed, 0 struck')
  expect(again.of('Of positions')).toBe('on, as the switch of each trader says')
  expect((await pageOf(testApp, 'ann@example.com')).text).toMatch(
    new RegExp(`\n  2026-03-05T\\S+  person_read  ${ann.userId}  -  by operator  -  -\n`),
  )
  expect(await runOperator(testApp, 'audit', maria.email)).toContain('  person_read  ')
})

test('a page holds twenty subscriptions and ten entries, and nothing that could draw on a terminal', async () => {
  await using testApp = await buildTestApp({ settings: { limitsOn: false } })
  const reader = await signIn(testApp, { email: 'ann@example.com' })
  for (let nth = 0; nth < 21; nth += 1) await subscribe(testApp, reader, await makeTrader(testApp))
  await suspend(testApp, reader.email, 'red \u001b[31m alert')
  testApp.clock.advance(1000)
  await testApp.pool.query(
    `insert into audit_log (id, at, action, user_id) select gen_random_uuid(), $2, 'signed_in', $1 from generate_series(1, 12)`,
    [reader.userId, testApp.clock.now()],
  )
  const { of, text } = await pageOf(testApp, reader.email)
  expect(of('Follows')).toBe('20, and more')
  expect(text.match(/^ {2}@trader\d+, active/gm)).toHaveLength(20)
  expect(text.match(/^ {2}2026-\S+ {2}signed_in/gm)).toHaveLength(10)
  expect(text).toContain(': red [31m alert\n')
  await expect(runOperator(testApp, 'person', 'nobody@example.com')).rejects.toThrow(
    'Nobody has that mail address or username.',
  )
  await expect(runOperator(testApp, 'person')).rejects.toThrow('Say a mail address or username.')
})
