import { expect, test } from 'vitest'
import { makeTestClock, TEST_NOW } from '../../../test/build-test-app.ts'
import { startCountingSink } from '../../../test/mails/counting-sink.ts'
import { MailSheet } from '../event-mails/mail-sheet.ts'
import { SessionLimit } from '../refusals/session-limit.ts'
import { connectWithBackOff } from '../refusals/smtp-with-back-off.ts'
import { SmtpLost } from '../smtp/smtp-outcome.ts'
import { type Sender, tryToDeliver } from './sender.ts'

test('of two mails that break their connections in turn each waits from its second time on', async () => {
  const sink = await startCountingSink()
  sink.script = { message: () => 'vanish' }
  const trust = { given: true, withdraw() {} }
  const clock = makeTestClock(TEST_NOW)
  const smtp = connectWithBackOff({ smtpUrl: sink.url, clock, trust })
  const known: Partial<Sender> = { clock, limit: new SessionLimit(), suspects: new Set<string>() }
  const sender = known as Sender
  const attempt = (mailNo: number) =>
    tryToDeliver(sender, smtp, {
      traderId: '0199c000-0000-7000-8000-000000000001',
      eventNo: 1,
      sheet: new MailSheet([Buffer.from('To:'), 'recipient', Buffer.from('\r\n\r\nx\r\n')]),
      recipient: {
        mailNo,
        userId: `0199c000-0000-7000-8000-00000000001${mailNo}`,
        address: `reader-${mailNo}@example.com`,
        from: 'signals@tradepost.example',
        unsubscribeToken: 'any',
        refusedBefore: false,
      },
    })
  await expect(attempt(1)).rejects.toBeInstanceOf(SmtpLost)
  await expect(attempt(2)).rejects.toBeInstanceOf(SmtpLost)
  expect(await attempt(1)).toEqual({ kind: 'deferred', replyCode: null })
  expect(await attempt(2)).toEqual({ kind: 'deferred', replyCode: null })
  smtp.close()
  await sink.close()
})
