import { AuthClient, type Session } from '@supabase/auth-js'
import { authenticatorCode } from '../server/test/authenticator.ts'
import { expect, type Person } from './fixtures.ts'
import type { Product } from './product.ts'
import { mailsTo } from './sign-in-by-code.ts'

const STEP_MS = 30_000

/**
 * The authenticator app on a person's phone. Codes count once, so each is of a later half minute than the last: the
 * clock moves on.
 */
export async function nextCode(
  product: Product,
  setTime: (instant: Date) => Promise<void>,
  secret: string,
): Promise<string> {
  await setTime(new Date(product.now().getTime() + STEP_MS))
  return authenticatorCode(secret, product.now())
}

/**
 * Sets up two-step verification for a person, through the front door, and waits until they were told of it.
 * @returns the secret of the app, and the session, confirmed with it; the person's own is renewed by that
 */
export async function giveAuthenticator(
  product: Product,
  person: Person,
): Promise<{ secret: string; session: Session; factorId: string }> {
  const client = new AuthClient({
    url: `${product.url}/auth/v1`,
    autoRefreshToken: false,
    persistSession: false,
  })
  const { error } = await client.setSession(person.session)
  if (error) throw error
  const enrolled = await client.mfa.enroll({ factorType: 'totp' })
  if (enrolled.error) throw enrolled.error
  const { id, totp } = enrolled.data
  const code = authenticatorCode(totp.secret, product.now())
  const confirmed = await client.mfa.challengeAndVerify({ factorId: id, code })
  if (confirmed.error) throw confirmed.error
  // The mail that tells of it comes first: tests count mails, and read the latest.
  await expect
    .poll(async () => (await mailsTo(product, person.email))[0]?.subject)
    .toBe('Two-step verification was turned on')
  const { data } = await client.getSession()
  if (!data.session) throw new Error('no session')
  return { secret: totp.secret, session: data.session, factorId: id }
}
