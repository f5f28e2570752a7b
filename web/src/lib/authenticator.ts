import type { AuthError } from '@supabase/auth-js'
import { authClient } from './auth-client.ts'

/**
 * Why a call about second factors did not do what was asked: the code is `wrong` (or was used before: each counts once);
 * `limited` after too many wrong ones; the factor is `gone`; `mail_due` where a mailed code must be given first (ADR
 * 0031); the session was `ended`; else it `failed`, and may be tried again.
 */
export type CodeRefusal = 'wrong' | 'limited' | 'gone' | 'mail_due' | 'ended' | 'failed'

/**
 * Confirms the session with the code that an authenticator app shows: aal1 becomes aal2, and every tab receives
 * MFA_CHALLENGE_VERIFIED (docs/specification.md section 4).
 * @param code as typed; the server reads it as a person does
 */
export async function confirmWithCode(factorId: string, code: string): Promise<'confirmed' | CodeRefusal> {
  const { error } = await authClient.mfa.challengeAndVerify({ factorId, code })
  return error === null ? 'confirmed' : refusalOf(error)
}

/** The meaning of a failed call. A session that was ended elsewhere is ended here too. */
export async function refusalOf(error: AuthError): Promise<CodeRefusal> {
  if (error.name === 'AuthSessionMissingError') {
    await authClient.signOut({ scope: 'local' })
    return 'ended'
  }
  if (error.status === 429) return 'limited'
  if (error.code === 'mfa_verification_failed' || error.code === 'reauthentication_not_valid') return 'wrong'
  if (error.code === 'reauthentication_needed') return 'mail_due'
  return error.code === 'mfa_factor_not_found' ? 'gone' : 'failed'
}
