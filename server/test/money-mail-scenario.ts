import { sql } from 'kysely'
import { pino } from 'pino'
import { expect, vi } from 'vitest'
import { sendMoneyMailTask } from '../src/notifications/send-money-mail.task.ts'
import { withTransaction } from '../src/platform/database.ts'
import { makeMailer } from '../src/platform/mailer.ts'
import { type MoneyMail, oweMoneyMail } from '../src/subscriptions/money-mails.ts'
import { buildTestApp, testSettings } from './build-test-app.ts'
import { startCountingSink } from './counting-sink.ts'
import { runJobs } from './run-jobs.ts'
import { type SignedIn, signIn } from './sign-in.ts'

const PATIENCE = { timeout: 20_000 }

/** The app, the task that sends money mails as the worker runs it, and a mail server that counts. */
export async function startMoneyMailScenario() {
  const testApp = await buildTestApp()
  const { db, clock } = testApp
  const sink = await startCountingSink()
  const mailer = makeMailer({ ...testSettings().mail, smtpUrl: sink.url })
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const task = sendMoneyMailTask({ db, clock, log, mailer, origin: 'https://tradepost.example' })
  const jobs = async () => {
    const { rows } = await sql<{ last_error: string | null }>`
      select last_error from graphile_worker._private_jobs`.execute(db)
    return rows
  }
  const run = () => runJobs(testApp, [task])
  return {
    ...testApp,
    sink,
    lines,
    jobs,
    run,
    /** Runs what waits, and waits until the queue has let go of it for good. */
    async runToEnd() {
      await run()
      await vi.waitFor(async () => expect(await jobs()).toEqual([]), PATIENCE)
    },
    signIn: (email?: string) => signIn(testApp, email ? { email } : {}),
    owe: (who: SignedIn, mail: MoneyMail, cause = 'in_1:1') =>
      withTransaction(db, (tx) => oweMoneyMail(tx, { ...mail, userId: who.userId, cause }, clock.now())),
    /** Runs what waits until nothing does, as the queue would over its pauses. */
    settle: () =>
      vi.waitFor(async () => {
        await sql`update graphile_worker._private_jobs set run_at = created_at`.execute(db)
        await run()
        expect(await jobs()).toEqual([])
      }, PATIENCE),
    /** The next run is a first one again, without its pause. */
    hurry: () =>
      sql`update graphile_worker._private_jobs set run_at = created_at, last_error = null`.execute(db),
    /** The queue writes a failure down a moment after it has let go of the job. */
    failure: () =>
      vi.waitFor(async () => {
        const [job] = await jobs()
        expect(job?.last_error).toBeTypeOf('string')
        return job?.last_error ?? ''
      }, PATIENCE),
    rows: () => db.selectFrom('money_mails').selectAll().orderBy('created_at').execute(),
    suppressions: () => db.selectFrom('suppressions').select(['user_id', 'smtp_code']).execute(),
    async [Symbol.asyncDispose]() {
      mailer.close()
      await sink.close()
      await testApp.close()
    },
  }
}
