import { linkAnswer } from '@tradepost/contract/auth'
import { authClient } from '../../lib/auth-client.ts'
import { type CodeRefusal, confirmWithCode } from '../../lib/authenticator.ts'
import { forgetEmail, rememberEmail } from './remembered-email.ts'

const ANSWER_TIMEOUT_MS = 15_000

/**
 * Asks for a code and a link by mail, creating the user if needed (docs/specification.md section 7).
 * @param email as typed; spaces around it are dropped
 * @returns whether it was sent; `limited` when too many were, by whomever, so that an earlier one may be there to be used
 */
export async function sendCode(email: string): Promise<'sent' | 'limited' | 'failed'> {
  const address = email.trim()
  const { error } = await authClient.signInWithOtp({ email: address, options: { shouldCreateUser: true } })
  if (error !== null) return error.status === 429 ? 'limited' : 'failed'
  rememberEmail(address)
  return 'sent'
}

/** Signs in with a mailed code; spaces that came along with pasting are dropped. */
export async function signInWithCode(email: string, code: string): Promise<boolean> {
  const token = code.replaceAll(/\s/g, '')
  const { error } = await authClient.verifyOtp({ email: email.trim(), token, type: 'email' })
  if (error === null) forgetEmail()
  return error === null
}

/** A link from a sign-in mail, or from a recovery mail that some client of the sign-in wire asked for. */
export type MailedLink = { tokenHash: string; type: 'email' | 'recovery' }

export async function signInWithLink({ tokenHash, type }: MailedLink): Promise<boolean> {
  const { error } = await authClient.verifyOtp({ token_hash: tokenHash, type })
  if (error === null) forgetEmail()
  return error === null
}

/**
 * The second step: the code of the person's authenticator app, or a recovery code. Somebody with several apps may use any of them; where all
 * were removed meanwhile no step is due, which the renewed session says.
 * @param factorIds of the session that lacks its second step
 */
export async function signInWithAuthenticator(
  factorIds: string[],
  code: string,
): Promise<'confirmed' | CodeRefusal> {
  let outcome: 'confirmed' | CodeRefusal = 'gone'
  for (const factorId of factorIds) {
    outcome = await confirmWithCode(factorId, code)
    if (outcome === 'confirmed' || outcome === 'ended') return outcome
  }
  if (outcome === 'gone') await authClient.refreshSession()
  return outcome
}

/** Gives up a session that lacks its second step, here and on the server; other devices are left alone. */
export async function abandonSignIn(): Promise<void> {
  await authClient.signOut({ scope: 'local' })
}

/** The secret of a mailed link, from the page's fragment (decision G-03). */
export function mailedLinkOf(fragment: string): MailedLink | null {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''))
  const tokenHash = parameters.get('token_hash')
  return tokenHash ? { tokenHash, type: parameters.get('type') === 'recovery' ? 'recovery' : 'email' } : null
}

export type LinkOwner = { kind: 'owner'; email: string } | { kind: 'dead' } | { kind: 'unreachable' }

/** Asks whose link this is without using it up: an address inside the link would be its sender's to choose. */
export async function askLinkOwner(tokenHash: string): Promise<LinkOwner> {
  try {
    const answer = await fetch('/auth/v1/link', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token_hash: tokenHash }),
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    })
    if (answer.ok) return { kind: 'owner', email: linkAnswer.parse(await answer.json()).email }
    return { kind: answer.status === 429 || answer.status >= 500 ? 'unreachable' : 'dead' }
  } catch {
    return { kind: 'unreachable' }
  }
}
