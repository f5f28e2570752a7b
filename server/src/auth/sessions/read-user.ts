import type { Caller } from '../../platform/http/register-endpoints.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'
import { findPerson, type Person } from '../users/person.ts'

/** The signed-in user as they are now. @throws `session_gone` when they are gone meanwhile */
export async function readUser(deps: AuthDeps, caller: Caller): Promise<Person> {
  const person = await findPerson(deps.db, caller.userId)
  if (!person) throw new AuthFault('session_gone')
  return person
}
