import type { AuthUser } from '@tradepost/contract/auth'
import type { Caller } from '../platform/http/register-endpoints.ts'
import type { AuthDeps } from './auth-deps.ts'
import { findPerson } from './person.ts'
import { wireError } from './wire-error.ts'
import { wireUser } from './wire-session.ts'

/** The signed-in user as they are now. @throws `session_not_found` when they are gone meanwhile */
export async function readUser(deps: AuthDeps, caller: Caller): Promise<AuthUser> {
  const person = await findPerson(deps.db, caller.userId)
  if (!person) throw wireError('session_not_found')
  return wireUser(person)
}
