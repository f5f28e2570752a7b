import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { MailError, type Mailer } from '../platform/mailer.ts'
import { defineTask, type Task } from '../platform/queue.ts'
import { type FactorChange, sendFactorMail } from './auth.jobs.ts'
import { findUser } from './users.queries.ts'

/** Writes the mail; the worker gives that of the e-mails workspace. */
export type FactorMailTemplate = (props: Omit<FactorChange, 'userId'> & { origin: string }) => {
  subject: string
  html: string
  text: string
}

/**
 * Tells the owner of an account that its second factor was changed (decision 0030). The queue tries for four days; a
 * mailbox that was told twice shows one mail, by its Message-ID. A mail that will never be taken is given up.
 */
export function sendFactorMailTask(deps: {
  db: Queryable
  log: Log
  origin: string
  mailer: Pick<Mailer, 'send'>
  render: FactorMailTemplate
}): Task {
  return defineTask(sendFactorMail, async ({ userId, ...change }, jobId) => {
    const user = await findUser(deps.db, userId)
    if (!user) return
    const mail = deps.render({ ...change, origin: deps.origin })
    const headers = { 'Auto-Submitted': 'auto-generated' }
    try {
      await deps.mailer.send({ ...mail, to: user.email, id: `second-factor-${jobId}`, headers })
    } catch (error) {
      if (!(error instanceof MailError && error.refused)) throw error
      deps.log.warn(
        { userId, replyCode: error.refused.replyCode },
        'a mail about a second factor was refused',
      )
    }
  })
}
