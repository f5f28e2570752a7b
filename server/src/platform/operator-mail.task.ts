import { createHash } from 'node:crypto'
import { BRAND } from '@tradepost/contract/brand'
import type { Mailer } from './mailer.ts'
import { operatorMail } from './operator-mail.ts'
import { defineTask, type Task } from './queue.ts'

/**
 * Mails what the operator is to know. A mail that is sent again after a fault keeps its Message-ID.
 * @param deps.to the operator's address, or null: then nothing is sent
 */
export function operatorMailTask(deps: { to: string | null; mailer: Pick<Mailer, 'send'> }): Task {
  return defineTask(operatorMail, async ({ subject, text }, jobId) => {
    if (deps.to === null) return
    await deps.mailer.send({
      to: deps.to,
      subject: `${BRAND}: ${subject}`,
      text,
      id: createHash('sha256')
        .update(JSON.stringify([jobId, subject, text]))
        .digest('hex')
        .slice(0, 32),
      headers: { 'Auto-Submitted': 'auto-generated' },
    })
  })
}
