import { pino } from 'pino'
import { expect } from 'vitest'
import { type MailOrder, queueMail } from '../../src/mail/outbox/queue-mail.ts'
import { makeMailer } from '../../src/mail/smtp/mailer.ts'
import { withTransaction } from '../../src/platform/database/queryable.ts'
import { buildTestApp, testSettings } from '../build-test-app.ts'
import { startCountingSink } from '../mails/counting-sink.ts'
import { hurryMails, MONEY_KINDS, runOutbox, waitingMails } from '../run-outbox.ts'
import { type SignedIn, signIn } from '../sign-in/sign-in.ts'

/** A mail about money without whom and what it is about. */
export type MoneyMail = {
  [Kind in MailOrder['kind']]: Pick<Extract<MailOrder, { kind: Kind }>, 'kind' | 'facts'>
}[MailOrder['kind']]

/** The app, the outbox as the worker runs it, and a mail server that counts. */
export async function startMoneyMailScenario() {
  const testApp = await buildTestApp()
  const { db, clock } = testApp
  const sink = await startCountingSink()
  const mailer = makeMailer({ ...testSettings().mail, smtpUrl: sink.url })
  const lines: string[] = []
  const log = pino({}, { write: (line: string) => lines.push(line) })
  const settings = { ...testApp.settings, origin: 'https://tradepost.example' }
  const run = () =>
    runOutbox({ ...testApp, settings }, { kinds: MONEY_KINDS, send: (mail) => mailer.send(mail), log })
  const waiting = () => waitingMails(db)
  return {
    ...testApp,
    sink,
    lines,
    waiting,
    run,
    signIn: (email?: string) => signIn(testApp, email ? { email } : {}),
    owe: (who: SignedIn, mail: MoneyMail, cause = 'in_1:1') =>
      withTransaction(db, (tx) => queueMail(tx, { ...mail, userId: who.userId, cause }, clock.now())),
    /** Sends what waits until nothing does, as the worker would over the pauses. */
    async settle() {
      const sendAgain = async () => {
        await hurryMails(db)
        await run()
        return waiting()
      }
      await expect.poll(sendAgain).toEqual([])
    },
    /** The next run is a first one again, without its pause. */
    hurry: () => hurryMails(db),
    /** Of the one mail that waits. */
    async failure() {
      const [mail] = await waiting()
      expect(mail?.fault).toBeTypeOf('string')
      return mail?.fault ?? ''
    },
    rows: () => db.selectFrom('outbox').selectAll().orderBy('created_at').execute(),
    suppressions: () => db.selectFrom('suppressions').select(['user_id', 'smtp_code']).execute(),
    async [Symbol.asyncDispose]() {
      mailer.close()
      await sink.close()
      await testApp.close()
    },
  }
}
