import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { authWire } from '../../test/auth-wire.ts'
import { buildTestApp } from '../../test/build-test-app.ts'
import { deliverSignInMails } from '../../test/sign-in-mails.ts'
import type { Queryable } from '../platform/database.ts'

async function failedJobs(db: Queryable) {
  const { rows } = await sql<{ last_error: string | null; attempts: number; max_attempts: number }>`
    select last_error, attempts, max_attempts from graphile_worker._private_jobs`.execute(db)
  return rows
}

test('code and link exist in the mail alone; the tables hold hashes', async () => {
  await using testApp = await buildTestApp()
  const { code, tokenHash } = await authWire(testApp).mailTo('ada@example.com')
  const rows = await testApp.db.selectFrom('otp_challenges').selectAll().execute()
  const { rows: jobs } = await sql`select * from graphile_worker._private_jobs`.execute(testApp.db)
  const stored = JSON.stringify([rows, jobs], (_key, value) =>
    value?.type === 'Buffer' ? Buffer.from(value.data).toString('latin1') : value,
  )
  expect(stored).not.toContain(`"${code}"`)
  expect(stored).not.toContain(tokenHash)
})

test('while the mail server is down nothing is lost, and a later try draws new secrets', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.otp('ada@example.com')
  const waiting = () => testApp.db.selectFrom('otp_challenges').selectAll().executeTakeFirstOrThrow()
  expect(await deliverSignInMails(testApp, { refuse: true })).toEqual([])
  const first = await waiting()
  // The queue writes the failure down a moment after it has let go of the job.
  await vi.waitFor(async () => expect((await failedJobs(testApp.db))[0]?.last_error).toBeTypeOf('string'), {
    timeout: 20_000,
  })
  const [job] = await failedJobs(testApp.db)
  expect(job).toEqual({ last_error: expect.not.stringContaining('ada@'), attempts: 1, max_attempts: 6 })
  await sql`update graphile_worker._private_jobs set run_at = created_at`.execute(testApp.db)
  testApp.clock.advance(60_000)
  const [mail] = await deliverSignInMails(testApp)
  const second = await waiting()
  expect(second.link_sha256).not.toEqual(first.link_sha256)
  expect(second.code_expires_at.getTime()).toBe(first.code_expires_at.getTime() + 60_000)
  expect((await wire.verify('ada@example.com', mail?.code ?? '')).status).toBe(200)
})

test('a job that runs after ten minutes, or after a newer request, mails nothing', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.otp('ada@example.com')
  testApp.clock.advance(60_000)
  await wire.otp('ada@example.com')
  expect(await deliverSignInMails(testApp)).toHaveLength(1)
  await wire.otp('grace@example.com')
  testApp.clock.advance(10 * 60_000)
  expect(await deliverSignInMails(testApp)).toEqual([])
})

test('create_user false answers alike and mails only to those who have a user', async () => {
  await using testApp = await buildTestApp()
  const wire = authWire(testApp)
  await wire.enter('known@example.com')
  testApp.clock.advance(60_000)
  const known = await wire.otp('known@example.com', { create_user: false })
  const unknown = await wire.otp('unknown@example.com', { create_user: false })
  expect([known.status, known.text]).toEqual([200, '{}'])
  expect([unknown.status, unknown.text]).toEqual([200, '{}'])
  expect((await deliverSignInMails(testApp)).map(({ to }) => to)).toEqual(['known@example.com'])
})
