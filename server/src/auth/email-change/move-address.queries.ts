import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Takes the locks under which proofs of these addresses are used up, and ends all proofs that there are: challenges of sign-in mails, and
 * codes of redirects. In the order in which signing in takes them, always before the user.
 */
export async function endProofs(tx: Queryable, emails: string[], now: Date): Promise<void> {
  await sql`select from sign_in_addresses where email = any(${emails}::text[]) order by email for update`.execute(
    tx,
  )
  await tx
    .updateTable('otp_challenges')
    .set({ consumed_at: now })
    .where('email', 'in', emails)
    .where('consumed_at', 'is', null)
    .execute()
  await tx.deleteFrom('auth_codes').where('email', 'in', emails).execute()
}

/** Gives a person an address that is free. */
export async function setEmail(
  tx: Queryable,
  of: { userId: string; email: string },
  now: Date,
): Promise<void> {
  await tx
    .updateTable('users')
    .set({ email: of.email, updated_at: now })
    .where('id', '=', of.userId)
    .execute()
  await sql`
    update identities set identity_data = identity_data || jsonb_build_object('email', ${of.email}::text), updated_at = ${now}
    where user_id = ${of.userId} and provider = 'email'`.execute(tx)
}

/** Forgets what was held against the mailbox that a person had. Reports stay, so that none is recorded again. */
export async function forgetMailbox(tx: Queryable, userId: string): Promise<void> {
  await tx.deleteFrom('suppressions').where('user_id', '=', userId).execute()
  await tx.deleteFrom('mail_refusals').where('user_id', '=', userId).execute()
  await tx.updateTable('mail_reports').set({ counts: false }).where('user_id', '=', userId).execute()
}
