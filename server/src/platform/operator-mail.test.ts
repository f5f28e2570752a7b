import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { buildTestApp, testSettings } from '../../test/build-test-app.ts'
import { startCountingSink } from '../../test/counting-sink.ts'
import { runJobs } from '../../test/run-jobs.ts'
import { makeMailer } from './mailer.ts'
import { operatorMailTask } from './operator-mail.task.ts'
import { operatorMail } from './operator-mail.ts'
import { enqueue } from './queue.ts'

const NEWS = {
  subject: 'a charge is disputed',
  text: 'Dispute du_1 of ünüsual size.\n\nAnswer it in ten days.',
}

const PATIENCE = { timeout: 20_000 }

async function waitingJobs(testApp: Awaited<ReturnType<typeof buildTestApp>>) {
  const { rows } = await sql<{ last_error: string | null }>`
    select last_error from graphile_worker._private_jobs`.execute(testApp.db)
  return rows
}

test('a mail to the operator is plain text, survives a mail server that is down, and keeps its Message-ID', async () => {
  await using testApp = await buildTestApp()
  const sink = await startCountingSink()
  const mailer = makeMailer({ ...testSettings().mail, smtpUrl: sink.url })
  const task = operatorMailTask({ to: 'operator@example.com', mailer })
  try {
    await enqueue(testApp.db, operatorMail, NEWS)
    sink.script = { message: () => 'vanish' }
    await runJobs(testApp, [task])
    // The queue writes the failure down a moment after it has let go of the job.
    await vi.waitFor(
      async () => expect((await waitingJobs(testApp))[0]?.last_error).toBeTypeOf('string'),
      PATIENCE,
    )
    expect(JSON.stringify(await waitingJobs(testApp))).not.toContain('operator@')

    // Taken, but the answer is lost: it will be sent again.
    sink.script = { message: () => 'drop' }
    await sql`update graphile_worker._private_jobs set run_at = created_at`.execute(testApp.db)
    await runJobs(testApp, [task])
    sink.script = {}
    await vi.waitFor(async () => {
      await sql`update graphile_worker._private_jobs set run_at = created_at`.execute(testApp.db)
      await runJobs(testApp, [task])
      expect(await waitingJobs(testApp)).toEqual([])
    }, PATIENCE)
    expect(sink.total()).toBeGreaterThan(1)
    expect(sink.byMessageId.size).toBe(1)
    expect(sink.byRecipient.get('operator@example.com')).toBe(sink.total())
    const raw = sink.kept[0]?.raw ?? ''
    expect(raw).toContain('Subject: Tradepost: a charge is disputed')
    expect(raw).toMatch(/Message-ID: <[0-9a-f]{32}@tradepost\.example>/)
    expect(raw).toContain('Content-Type: text/plain; charset=utf-8')
    expect(raw).toContain('Auto-Submitted: auto-generated')
    expect(raw).not.toContain('text/html')
  } finally {
    mailer.close()
    await sink.close()
  }
})

test('without an operator address the job ends, and nobody is mailed', async () => {
  await using testApp = await buildTestApp()
  expect(testApp.settings.operatorEmail).toBeNull()
  const send = vi.fn(async () => {})
  await enqueue(testApp.db, operatorMail, NEWS)
  await runJobs(testApp, [operatorMailTask({ to: null, mailer: { send } })])
  expect(await waitingJobs(testApp)).toEqual([])
  expect(send).not.toHaveBeenCalled()
})
