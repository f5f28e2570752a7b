import { linkAnswer, returnedAnswer } from '@tradepost/contract/auth'
import { EMAIL_PROBLEMS } from '@tradepost/contract/email-address'
import { authClient, codeChallenge } from '../../lib/auth-client.ts'
import { type CodeRefusal, confirmWithCode } from '../../lib/authenticator.ts'
import { forgetEmail, rememberEmail } from './remembered-email.ts'

const ANSWER_TIMEOUT_MS = 15_000

/**
 * The result of asking for a code. `limited` when too many were sent, at anybody's request, so that an earlier one may still work;
 * `returned` where mails to the address came back and another one is tried all the same (ADR 0091).
 * @property problem of `EMAIL_PROBLEMS`, where the address is at fault
 * @property codeChallenge of a code that was asked for
 */
export type Sending = {
  outcome: 'sent' | 'returned' | 'limited' | 'failed'
  problem: string | null
  codeChallenge?: string
}

/**
 * Asks for a code and a link by mail, creating the user if needed (docs/specification.md section 7).
 * @param email as a person sees it; the server spells it as it is looked up
 */
export async function sendCode(email: string): Promise<Sending> {
  const { error } = await authClient.signInWithOtp({ email, options: { shouldCreateUser: true } })
  const problem = Object.values<string>(EMAIL_PROBLEMS).find((known) => known === error?.message) ?? null
  const isAsked = error === null || problem === EMAIL_PROBLEMS.returned
  if (!isAsked) return { outcome: error.status === 429 ? 'limited' : 'failed', problem }
  rememberEmail(email)
  return {
    outcome: error === null ? 'sent' : 'returned',
    problem,
    ...(codeChallenge !== null && { codeChallenge }),
  }
}

/** Whether the mail that was asked for has come back; null where that could not be learnt. */
export async function askReturned(email: string, codeChallenge: string): Promise<boolean | null> {
  try {
    const body = JSON.stringify({ email, code_challenge: codeChallenge })
    const answer = await postToAuth('returned', body)
    return answer.ok ? returnedAnswer.parse(await answer.json()).returned : null
  } catch {
    return null
  }
}

/** Signs in with a mailed code, as it is typed: one that cannot be one goes to the server too (rule G-61). */
export async function signInWithCode(email: string, token: string): Promise<boolean> {
  const { error } = await authClient.verifyOtp({ email, token, type: 'email' })
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
 * were removed meanwhile no step is due, as the renewed session shows.
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

/** The secret of a mailed link, from the page's fragment (rule G-03). */
export function mailedLinkOf(fragment: string): MailedLink | null {
  const parameters = new URLSearchParams(fragment.replace(/^#/, ''))
  const tokenHash = parameters.get('token_hash')
  return tokenHash ? { tokenHash, type: parameters.get('type') === 'recovery' ? 'recovery' : 'email' } : null
}

export type LinkOwner = { kind: 'owner'; email: string } | { kind: 'dead' } | { kind: 'unreachable' }

/** Asks whose link this is without using it up: an address inside the link would be its sender's to choose. */
export async function askLinkOwner(tokenHash: string): Promise<LinkOwner> {
  try {
    const answer = await postToAuth('link', JSON.stringify({ token_hash: tokenHash }))
    if (answer.ok) return { kind: 'owner', email: linkAnswer.parse(await answer.json()).email }
    return { kind: answer.status === 429 || answer.status >= 500 ? 'unreachable' : 'dead' }
  } catch {
    return { kind: 'unreachable' }
  }
}

/** The calls that the sign-in client does not know. */
function postToAuth(path: 'link' | 'returned', body: string): Promise<Response> {
  return fetch(`/auth/v1/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
  })
}
