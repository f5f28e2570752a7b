import { liftRefused } from '../mail/suppressions/suppressions.queries.ts'
import type { Queryable } from '../platform/database.ts'
import type { Client } from '../platform/http/client.ts'
import { newId } from '../platform/ids.ts'
import { type AuthenticationMethod, unixSeconds } from './access-tokens.ts'
import { audit } from './audit.ts'
import { type FactorRow, findFactors } from './factors.queries.ts'
import type { SecretKey } from './secret-key.ts'
import { insertSession } from './sessions.queries.ts'
import { type IdentityRow, type UserRow, upsertIdentity, upsertUser } from './users.queries.ts'

/** An address that somebody has just proved to be theirs, and how. */
export type VerifiedAddress = { email: string; method: AuthenticationMethod['method'] }

export type OpenedSession = {
  session: { id: string; refresh_counter: number; aal: string; amr: AuthenticationMethod[] }
  user: UserRow
  identities: IdentityRow[]
  factors: FactorRow[]
}

/**
 * Opens a session for an address that was proved, making its user at the first time (decision G-04). The mail that proved it has
 * arrived, so an address that was given up as refusing mails gets them again (decision 0072).
 * @returns null when the user is suspended
 */
export async function openSession(
  deps: { secret: SecretKey },
  db: Queryable,
  proof: VerifiedAddress,
  client: Client,
  now: Date,
): Promise<OpenedSession | null> {
  const { email } = proof
  const stamps = { created_at: now, updated_at: now, last_sign_in_at: now }
  const user = await upsertUser(db, {
    id: newId(),
    email,
    user_metadata: JSON.stringify({ email_verified: true }),
    email_confirmed_at: now,
    ...stamps,
  })
  if (!user) return null
  const identity = await upsertIdentity(db, {
    id: newId(),
    user_id: user.id,
    provider: 'email',
    provider_id: user.id,
    identity_data: JSON.stringify({ sub: user.id, email, email_verified: true, phone_verified: false }),
    ...stamps,
  })
  const session = {
    id: newId(),
    refresh_counter: 0,
    aal: 'aal1',
    amr: [{ method: proof.method, timestamp: unixSeconds(now) }],
  }
  await insertSession(db, {
    ...session,
    amr: JSON.stringify(session.amr),
    user_id: user.id,
    // The first token has no parent whose replay would have to be judged.
    successor_seen: true,
    created_at: now,
    refreshed_at: now,
    ip: client.ip,
    user_agent: client.userAgent,
  })
  if (await liftRefused(db, user.id))
    await audit(deps, db, { action: 'suppression_lifted', userId: user.id, detail: 'by a mailed code' }, now)
  const signedIn = { action: 'signed_in', userId: user.id, sessionId: session.id } as const
  await audit(deps, db, { ...signedIn, detail: proof.method, client }, now)
  return { session, user, identities: [identity], factors: await findFactors(db, user.id) }
}
