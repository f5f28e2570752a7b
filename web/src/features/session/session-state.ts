import type { Session } from '@supabase/auth-js'
import { claimsOf } from '../../lib/token-claims.ts'

/**
 * The session of the person at the page. `unknown` until the first check has ended; then the page shows nothing
 * (docs/specification.md section 2). `undecided`: the check ended without an answer, since the sign-in server could not be asked about
 * a token that has run out; the session is kept (rule G-39). `needs_factor`: the code was right but a second step is due; such a
 * session counts as signed out everywhere but on the login page (rule G-41).
 */
export type SessionState =
  | { status: 'unknown' }
  | { status: 'undecided' }
  | { status: 'signed_out' }
  | { status: 'needs_factor'; userId: string; email: string; factorIds: string[] }
  | { status: 'signed_in'; userId: string; email: string }

export const UNKNOWN: SessionState = { status: 'unknown' }
export const UNDECIDED: SessionState = { status: 'undecided' }
const SIGNED_OUT: SessionState = { status: 'signed_out' }

/** The product's state for a session of the library. */
export function stateOf(session: Session | null): SessionState {
  if (session === null) return SIGNED_OUT
  const { id, email = '', factors = [] } = session.user
  const factorIds = factors.filter((factor) => factor.status === 'verified').map((factor) => factor.id)
  if (factorIds.length > 0 && claimsOf(session.access_token).aal !== 'aal2')
    return { status: 'needs_factor', userId: id, email, factorIds }
  return { status: 'signed_in', userId: id, email }
}

/** Whether two states look the same on the screen; the library repeats SIGNED_IN at every return to the tab. */
export function sameState(a: SessionState, b: SessionState): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
