import type { AuthError } from '@supabase/auth-js'
import { useQueryClient } from '@tanstack/react-query'
import { EMAIL_PROBLEMS } from '@tradepost/contract/email-address'
import { refusalMessage } from '@tradepost/contract/errors'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { EMAIL_CHANGE_MINUTES } from '@tradepost/contract/limits'
import { authClient, readStoredSession } from '../../lib/auth-client.ts'
import { refusalOf } from '../../lib/authenticator.ts'
import { serverNow } from '../../lib/server-time.ts'
import { accountQuery } from './account.api.ts'

/** The sentence to show where a call did not do what was asked; null where it did. */
type Refused = string | null

const NO_ADDRESS = 'That is not an e-mail address.'
const NO_MORE_MAILS = 'No more codes can be sent just now. Wait a minute, then try again.'
const WRONG_CODE = 'That code is not right, or it has expired. Type the newest one that we sent.'

/** The address of a change that was asked for in this browser's session and can still be finished; null for none. */
export function wantedEmail(): string | null {
  const user = readStoredSession()?.user
  const askedAt = Date.parse(user?.email_change_sent_at ?? '')
  if (!user?.new_email || Number.isNaN(askedAt)) return null
  return serverNow().getTime() < askedAt + EMAIL_CHANGE_MINUTES * 60_000 ? user.new_email : null
}

/** The address of this browser's session now; another tab may have changed it. */
export function presentEmail(): string | null {
  return readStoredSession()?.user.email ?? null
}

/** Has a code mailed to each of the two addresses. @returns the new address in the server's spelling, or the sentence to show */
export async function askForEmail(email: string): Promise<{ wanted: string | null } | { refused: string }> {
  const { data, error } = await authClient.updateUser({ email })
  if (error === null) return { wanted: data.user.new_email ?? null }
  const problem = Object.values<string>(EMAIL_PROBLEMS).find((known) => known === error.message)
  if (problem !== undefined) return { refused: problem }
  if (error.code === 'validation_failed') return { refused: NO_ADDRESS }
  return { refused: await sentenceOf(error) }
}

/**
 * Takes an unfinished change back: the wish for the present address is none for another one.
 * @param shown the address that the change was from, for a browser whose session is gone
 */
export async function giveUpEmail(shown: string): Promise<Refused> {
  const { error } = await authClient.updateUser({ email: presentEmail() ?? shown })
  return error === null ? null : sentenceOf(error)
}

/** Has the codes mailed again that were not typed yet. */
export async function mailCodesAgain(present: string): Promise<Refused> {
  // The token tells the server who asks; one that has run out is renewed for it.
  await authClient.getSession()
  const { error } = await authClient.resend({ type: 'email_change', email: present })
  return error === null ? null : sentenceOf(error)
}

/**
 * Gives the code that came to one of the two addresses. A code is good once: where the answer to it was lost, giving it again is refused,
 * and the address that the account has shows that it was taken.
 * @returns whether the account has the wanted address now, or the sentence to show
 */
export async function giveEmailCode(
  { email, wanted }: { email: string; wanted: string },
  code: string,
): Promise<{ changed: boolean } | { refused: string }> {
  await authClient.getSession()
  const { data, error } = await authClient.verifyOtp({ type: 'email_change', email, token: code })
  if (error === null) return { changed: data.session !== null }
  if (await hasAddress(wanted)) return { changed: true }
  return { refused: error.code === 'otp_expired' ? WRONG_CODE : await sentenceOf(error) }
}

async function hasAddress(wanted: string): Promise<boolean> {
  const { data } = await authClient.getUser()
  if (data.user?.email !== wanted) return false
  // The stored session names the address of before until it is renewed.
  await authClient.refreshSession()
  return true
}

/** Has what shows the address or the sessions ask for them again. */
export function useEmailChanged(): () => void {
  const client = useQueryClient()
  return () => {
    void client.invalidateQueries({ queryKey: accountQuery.queryKey })
    void client.invalidateQueries({ queryKey: ['sessions'] })
  }
}

async function sentenceOf(error: AuthError): Promise<string> {
  switch (await refusalOf(error)) {
    case 'limited':
      return NO_MORE_MAILS
    case 'ended':
      return refusalMessage('unauthorized')
    default:
      return FALLBACK_MESSAGE
  }
}
