import { refusalMessage } from '@tradepost/contract/errors'
import { FALLBACK_MESSAGE } from '@tradepost/contract/fallback-message'
import { sessionEndpoints } from '@tradepost/contract/session-endpoints'
import { call } from '../../lib/api.ts'
import { authClient } from '../../lib/auth-client.ts'
import { type CodeRefusal, refusalOf } from '../../lib/authenticator.ts'

/**
 * Whether a change of the second step asks for a mailed code now. Where that cannot be had, no: the server asks for the code
 * when it comes to it.
 */
export async function isMailedCodeDue(): Promise<boolean> {
  return (await readMailedCodeDue()) ?? false
}

/** @returns null where it cannot be had */
async function readMailedCodeDue(): Promise<boolean | null> {
  try {
    return (await call(sessionEndpoints.secondStep)).mailedCodeDue
  } catch {
    return null
  }
}

/** Has a code mailed. @returns `limited` when too many were, so that an earlier one may be there to be used */
export async function mailCode(): Promise<'sent' | 'limited' | 'ended' | 'failed'> {
  const { error } = await authClient.reauthenticate()
  if (error === null) return 'sent'
  const refusal = await refusalOf(error)
  return refusal === 'limited' || refusal === 'ended' ? refusal : 'failed'
}

/**
 * Gives the mailed code. It is good once: where the answer to it was lost, it is refused when it is given again, and that none is asked for
 * any more shows that it was taken.
 * @returns null when it was right, else the sentence to show
 */
export async function giveMailedCode(code: string): Promise<string | null> {
  const { error } = await authClient.updateUser({ nonce: code })
  if (error === null) return null
  const refusal = await refusalOf(error)
  if (refusal === 'wrong' && (await readMailedCodeDue()) === false) return null
  return sentenceOf(refusal)
}

function sentenceOf(refusal: CodeRefusal): string {
  switch (refusal) {
    case 'wrong':
      return 'That code is not right, or it has expired. Type the newest one that we sent.'
    case 'limited':
      return refusalMessage('rate_limited')
    case 'ended':
      return refusalMessage('unauthorized')
    default:
      return FALLBACK_MESSAGE
  }
}
