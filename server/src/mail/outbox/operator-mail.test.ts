import { expect, test, vi } from 'vitest'
import { buildTestApp, testSettings } from '../../../test/build-test-app.ts'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { hurryMails, runOutbox, waitingMails } from '../../../test/run-outbox.ts'
import { runPurges } from '../../../test/run-purges.ts'
import { makeMailer } from '../smtp/mailer.ts'
import { queueMail } from './queue-mail.ts'

const NEWS = {
  kind: 'operator_notice',
  userId: null,
  facts: {
    subject: 'a charge is disputed',
    text: 'Dispute du_1 of ünüsual size.\n\nAnswer it in ten days.',
  },
} as const

test('a mail to the operator is plain text, survives a mail server that is down, and keeps its Message-ID', async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  const sink = await startCountingSink()
  const mailer = makeMailer({ ...testSettings().mail, smtpUrl: sink.url })
  const operatorEmail = 'operator@example.com'
  const run = () =>
    runOutbox(testApp, { kinds: ['operator_notice'], send: (mail) => mailer.send(mail), operatorEmail })
  try {
    await queueMail(db, NEWS, clock.now())
    sink.script = { message: () => 'vanish' }
    await run()
    expect(await waitingMails(db)).toMatchObject([
      { tries: 1, fault: expect.not.stringContaining('operator@') },
    ])

    // Taken, but the answer is lost: it will be sent again.
    sink.script = { message: () => 'drop' }
    await hurryMails(db)
    await run()
    sink.script = {}
    const sendAgain = async () => {
      await hurryMails(db)
      await run()
      return waitingMails(db)
    }
    await expect.poll(sendAgain).toEqual([])
    expect(sink.total()).toBeGreaterThan(1)
    expect(sink.byMessageId.size).toBe(1)
    expect(sink.byRecipient.get('operator@example.com')).toBe(sink.total())
    const raw = sink.kept[0]?.raw ?? ''
    expect(raw).toContain('Subject: Tradepost: a charge is disputed')
    expect(raw).toMatch(/Message-ID: <[0-9a-f-]{36}@tradepost\.example>/)
    expect(raw).toContain('Content-Type: text/plain; charset=utf-8')
    expect(raw).toContain('Auto-Submitted: auto-generated')
    expect(raw).not.toContain('text/html')
  } finally {
    mailer.close()
    await sink.close()
  }
})

test('without an operator address the mail ends, and nobody is mailed', async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  const send = vi.fn(async () => {})
  await queueMail(db, NEWS, clock.now())
  await runOutbox(testApp, { kinds: ['operator_notice'], send })
  expect(await db.selectFrom('outbox').select('ended_as').execute()).toEqual([{ ended_as: 'unneeded' }])
  expect(send).not.toHaveBeenCalled()
})

test('a notice that waits for the operator is not queued twice; once it has gone, it is queued again', async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  const about = { ...NEWS, cause: 'alert:a charge is disputed:du_1' }
  await queueMail(db, about, clock.now())
  await queueMail(db, about, clock.now())
  await queueMail(db, { ...about, cause: 'alert:a charge is disputed:du_2' }, clock.now())
  expect(await waitingMails(db)).toHaveLength(2)
  await runOutbox(testApp, {
    kinds: ['operator_notice'],
    send: async () => {},
    operatorEmail: 'operator@example.com',
  })
  await queueMail(db, about, clock.now())
  expect(await waitingMails(db)).toHaveLength(1)
})

test("a refusal of the operator's address, which is a setting, does not end a mail", async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  const sink = await startCountingSink()
  const mailer = makeMailer({ ...testSettings().mail, smtpUrl: sink.url })
  sink.script = { recipient: () => '550 5.1.1 no such user' }
  await queueMail(db, NEWS, clock.now())
  await runOutbox(testApp, {
    kinds: ['operator_notice'],
    send: (mail) => mailer.send(mail),
    operatorEmail: 'nobody@example.com',
  })
  expect(await waitingMails(db)).toMatchObject([{ tries: 1 }])
  mailer.close()
  await sink.close()
})

test('seven days after it ended a mail without a cause of a person is deleted, and not while it waits', async () => {
  await using testApp = await buildTestApp()
  const { db, clock } = testApp
  await queueMail(db, NEWS, clock.now())
  await runOutbox(testApp, { kinds: ['operator_notice'], send: async () => {} })
  await queueMail(db, { ...NEWS, cause: 'waits' }, clock.now())
  clock.advance(7 * 86_400_000)
  const causes = () => db.selectFrom('outbox').select('cause').orderBy('cause').execute()
  await runPurges(testApp)
  expect(await causes()).toEqual([{ cause: 'waits' }, { cause: null }])
  clock.advance(1)
  await runPurges(testApp)
  expect(await causes()).toEqual([{ cause: 'waits' }])
})
