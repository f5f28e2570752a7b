import type { Queryable } from '../../platform/database/queryable.ts'
import { enqueue } from '../../work/jobs.ts'
import { deleteAccountCodes } from '../sign-in/account-codes.queries.ts'
import { emailChanged } from './email-changed.jobs.ts'
import { forgetMailbox, setEmail } from './move-address.queries.ts'

/**
 * Gives a person another address, and what follows from it: codes that went to the old one are void, refusals of the old mailbox are
 * forgotten, and payments are told.
 * @param tx has ended the proofs of both addresses, and locked the person
 */
export async function moveAddress(
  tx: Queryable,
  of: { userId: string; email: string },
  now: Date,
): Promise<void> {
  await setEmail(tx, of, now)
  await deleteAccountCodes(tx, of.userId)
  await forgetMailbox(tx, of.userId)
  await enqueue(tx, emailChanged, { userId: of.userId }, { key: of.userId })
}
