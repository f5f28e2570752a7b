import { randomUUID } from 'node:crypto'
import type { Insertable } from 'kysely'
import { signAccessToken } from '../../src/auth/keys/access-tokens.ts'
import { type AuthDeps, makeAuthDeps } from '../../src/auth/keys/auth-deps.ts'
import type { Queryable } from '../../src/platform/database/queryable.ts'
import type { Sessions } from '../../src/platform/database/schema.ts'
import { newId } from '../../src/platform/ids.ts'
import type { TestApp } from '../build-test-app.ts'

export type SignedIn = { userId: string; sessionId: string; email: string; token: string }

const authOf = new WeakMap<TestApp['db'], AuthDeps>()

/**
 * A new user with a session and a real access token, straight into the tables: for tests of what comes after sign-in.
 * @param options.email a separate address for each user unless given
 */
export async function signIn(testApp: TestApp, options: { email?: string } = {}): Promise<SignedIn> {
  const now = testApp.clock.now()
  const userId = newId()
  const sessionId = newId()
  const email = options.email ?? `${randomUUID()}@example.com`
  const amr = [{ method: 'otp' as const, timestamp: Math.floor(now.getTime() / 1000) }]
  const { db } = testApp
  const stamps = { created_at: now, updated_at: now, last_sign_in_at: now }
  await db
    .insertInto('users')
    .values({ id: userId, email, email_confirmed_at: now, ...stamps })
    .execute()
  await db
    .insertInto('identities')
    .values({
      id: newId(),
      user_id: userId,
      provider: 'email',
      provider_id: userId,
      identity_data: { sub: userId, email, email_verified: true },
      ...stamps,
    })
    .execute()
  await insertSession(db, {
    id: sessionId,
    user_id: userId,
    aal: 'aal1',
    amr: JSON.stringify(amr),
    successor_seen: true,
    created_at: now,
    refreshed_at: now,
  })
  const person = { userId, sessionId, email }
  return { ...person, token: await tokenOf(testApp, person) }
}

/** An access token of the person's session that is good now, for tests that moved the clock. */
export async function tokenOf(testApp: TestApp, person: Omit<SignedIn, 'token'>): Promise<string> {
  const now = testApp.clock.now()
  const auth = authOf.get(testApp.db) ?? makeAuthDeps(testApp)
  authOf.set(testApp.db, auth)
  const amr = [{ method: 'otp' as const, timestamp: Math.floor(now.getTime() / 1000) }]
  return signAccessToken(auth, { ...person, generation: 0, aal: 'aal1', amr }, now)
}

/** The header of a signed-in call. */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` }
}

/** A session straight into the tables. */
export async function insertSession(
  db: Queryable,
  session: Insertable<Omit<Sessions, 'amr'>> & { amr: string },
): Promise<void> {
  await db.insertInto('sessions').values(session).execute()
}
