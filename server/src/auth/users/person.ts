import type { Queryable } from '../../platform/database/queryable.ts'
import { type FactorRow, findFactors } from './factors.queries.ts'
import { type AccountRow, findAccount } from './open-session.queries.ts'
import type { IdentityRow, UserRow } from './users.queries.ts'

/** A user with everything that the sign-in wire answers about them. */
export type Person = {
  user: UserRow
  identities: IdentityRow[]
  factors: FactorRow[]
  /** A change of address that was asked for, with when it is off (UTC); null for none. */
  emailChange: { newEmail: string; askedAt: Date; expiresAt: Date } | null
}

/** Whether proving the address has signed the person in: not while a second factor is still to be given. */
export function hasSignedIn({ factors }: Person): boolean {
  return !factors.some(({ status }) => status === 'verified')
}

export async function findPerson(db: Queryable, userId: string): Promise<Person | null> {
  const account = await findAccount(db, userId)
  return account ? personOf(db, account) : null
}

/** Factors cost a statement where there are any. */
export async function personOf(db: Queryable, account: AccountRow): Promise<Person> {
  const {
    email_change_expires_at: expiresAt,
    email_change_sent_at: askedAt,
    has_factors,
    identity_created_at,
    identity_data,
    identity_id,
    identity_signed_in_at,
    identity_updated_at,
    new_email: newEmail,
    ...user
  } = account
  // The one there is: by mailed code, and nothing else.
  const identity = {
    user_id: user.id,
    provider: 'email',
    provider_id: user.id,
    identity_data,
    last_sign_in_at: identity_signed_in_at,
    created_at: identity_created_at,
    updated_at: identity_updated_at,
  }
  return {
    user,
    identities: identity_id === null ? [] : [{ id: identity_id, ...identity }],
    factors: has_factors ? await findFactors(db, user.id) : [],
    emailChange: newEmail && askedAt && expiresAt ? { newEmail, askedAt, expiresAt } : null,
  }
}
