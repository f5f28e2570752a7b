import type { Queryable } from '../platform/database.ts'
import { type FactorRow, findFactors } from './factors.queries.ts'
import { findIdentities, findUser, type IdentityRow, type UserRow } from './users.queries.ts'

/** A user with all that the wire tells of them. */
export type Person = { user: UserRow; identities: IdentityRow[]; factors: FactorRow[] }

export async function findPerson(db: Queryable, userId: string): Promise<Person | null> {
  const user = await findUser(db, userId)
  if (!user) return null
  return { user, identities: await findIdentities(db, userId), factors: await findFactors(db, userId) }
}
