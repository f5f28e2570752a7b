import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { MailError, type Mailer } from '../platform/mailer.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { type SmtpRefusal, UNWRITABLE } from '../platform/smtp-outcome.ts'
import { sendMoneyMail } from '../subscriptions/money-mails.ts'
import { isWritableAddress } from './mail-template.ts'
import { findOwedMail, markMailSent } from './owed-mails.queries.ts'
import { renderMoneyMail } from './render-money-mail.ts'
import { suppressAddress } from './suppressions.queries.ts'

/**
 * Sends a money mail to the address that its reader has now. Run again it sends nothing, unless it ended between the
 * mail server's yes and our record of it; the Message-ID is that of the first time then, so mailboxes show one. What the
 * mail server does not take is left to the queue, for four days; an address that does not exist is suppressed, and a mail
 * that was refused for what it says given up, both at once (decisions 3.5, Delivery).
 */
export function sendMoneyMailTask(deps: {
  db: Queryable
  clock: Clock
  log: Log
  origin: string
  mailer: Pick<Mailer, 'send'>
}): Task {
  const { db, clock, log, mailer } = deps
  return defineTask(sendMoneyMail, async ({ id }) => {
    const owed = await findOwedMail(db, id)
    if (!owed) return
    const { userId, address } = owed
    const giveUp = async ({ replyCode, status, about }: SmtpRefusal) => {
      if (about === 'address') await suppressAddress(db, { userId, replyCode, status }, clock.now())
      log.warn({ moneyMail: id, kind: owed.kind, replyCode }, 'a mail about money was refused')
    }
    if (!isWritableAddress(address)) return giveUp(UNWRITABLE)
    try {
      const mail = renderMoneyMail(owed, deps.origin)
      await mailer.send({ ...mail, to: address, id, headers: { 'Auto-Submitted': 'auto-generated' } })
    } catch (error) {
      if (error instanceof MailError && error.refused) return giveUp(error.refused)
      throw error
    }
    await markMailSent(db, id, clock.now())
  })
}
