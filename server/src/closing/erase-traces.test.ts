import { afterAll, beforeEach, expect, test } from 'vitest'
import { makeClosings } from '../../test/closing.ts'
import { silentLog } from '../../test/database/database.ts'
import { takeFile } from '../../test/exports.ts'
import { startBillingScenario } from '../../test/money/billing-scenario.ts'
import { runOperator } from '../../test/run-operator.ts'
import { authWire } from '../../test/sign-in/auth-wire.ts'
import { emailChange } from '../../test/sign-in/email-change.ts'
import { signIn } from '../../test/sign-in/sign-in.ts'
import { recordReport } from '../mail/reports/record-report.ts'
import { withTransaction } from '../platform/database/queryable.ts'

const scenario = await startBillingScenario()
const { testApp } = scenario
const { clock, db, pool } = testApp
afterAll(() => scenario[Symbol.asyncDispose]())
const closings = makeClosings(scenario)
const wire = authWire(testApp)
const change = emailChange(testApp, wire)
const START = clock.now()
beforeEach(() => clock.set(START))

/** Erased by an operator, without any further day. */
async function eraseNow(who: { userId: string }, email: string): Promise<void> {
  await runOperator(testApp, 'erase', email, 'By letter.')
  clock.advance(60_000)
  await closings.tend()
  clock.advance(60_000)
  await closings.tend()
  const { rows } = await pool.query('select email from users where id = $1', [who.userId])
  expect(rows).toEqual([{ email: null }])
}

const entriesOf = async (userId: string) =>
  (await pool.query('select action from audit_log where user_id = $1 order by at, id', [userId])).rows.map(
    ({ action }) => action,
  )

test('what others did with a person’s address is theirs: not in the person’s file, and not erased with them', async () => {
  const wanted = await signIn(testApp, { email: 'wanted@example.com' })
  const asker = await wire.enter('asker@example.com')
  expect((await change.ask(asker.access_token, 'wanted@example.com')).status).toBe(200)
  const before = await entriesOf(asker.user.id)
  expect(before.at(-1)).toBe('email_change_requested')
  const file = await takeFile(testApp, wanted)
  expect(file.of('security_log').map(({ action }) => action)).toEqual(['export_requested'])
  await eraseNow(wanted, 'wanted@example.com')
  expect(await entriesOf(asker.user.id)).toEqual(before)
})

test('an earlier address goes too, with what was done under it before it changed', async () => {
  const session = await wire.enter('earlier@example.com')
  expect((await change.make(session, 'later@example.com')).status).toBe(200)
  const traces = async () =>
    (
      await pool.query(
        `select (select count(*)::int from sign_in_addresses where email in ('earlier@example.com', 'later@example.com')) as addresses,
          (select count(*)::int from otp_challenges where email in ('earlier@example.com', 'later@example.com')) as challenges,
          (select count(*)::int from audit_log where user_id is null) as entries`,
      )
    ).rows[0]
  await pool.query("delete from audit_log where user_id is null and action <> 'code_requested'")
  const before = await traces()
  expect(before.addresses).toBe(2)
  await eraseNow({ userId: session.user.id }, 'later@example.com')
  expect(await traces()).toEqual({ addresses: 0, challenges: 0, entries: before.entries - 1 })
})

test('a mail that comes back after the erasure is held against nobody', async () => {
  const person = await signIn(testApp, { email: 'bouncing@example.com' })
  await eraseNow(person, 'bouncing@example.com')
  const bounce = { kind: 'bounce', status: '5.1.1', smtpCode: 550, about: 'address' } as const
  const report = { ...bounce, topic: 'positions', readerId: person.userId, tag: Buffer.alloc(4, 1) } as const
  await withTransaction(db, (tx) =>
    recordReport(tx, { report, source: 'mailbox' }, { log: silentLog, now: clock.now() }),
  )
  const { rows } = await pool.query(
    `select (select count(*)::int from mail_reports where user_id = $1) as reports,
      (select count(*)::int from suppressions where user_id = $1) as suppressions`,
    [person.userId],
  )
  expect(rows).toEqual([{ reports: 0, suppressions: 0 }])
})
