import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { MailError, type Mailer } from '../platform/mailer.ts'
import { findUser } from './users.queries.ts'

export type OwnerMailDeps = { db: Queryable; log: Log; mailer: Pick<Mailer, 'send'> }

/**
 * Tells the owner of an account about its security. The queue tries for four days; a mailbox that was told twice shows one
 * mail, by its Message-ID. A mail that will never be taken is given up.
 * @param mail.id the same at every try
 */
export async function mailOwner(
  deps: OwnerMailDeps,
  userId: string,
  mail: { id: string; subject: string; html: string; text: string },
): Promise<void> {
  const user = await findUser(deps.db, userId)
  if (!user) return
  try {
    await deps.mailer.send({ ...mail, to: user.email, headers: { 'Auto-Submitted': 'auto-generated' } })
  } catch (error) {
    if (!(error instanceof MailError && error.refused)) throw error
    deps.log.warn(
      { userId, replyCode: error.refused.replyCode },
      'a mail about the security of an account was refused',
    )
  }
}
