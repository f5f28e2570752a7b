import { CODE_LIFE_MINUTES, LOGIN_EMAIL_MIN_LENGTH } from '@tradepost/contract/limits'
import { forgetSentCode, SENT_CODE_KEY } from './forget-sent-code.ts'

/*
 * The code step of this tab, so that a reload keeps it: a phone reloads a page whose reader was in the mail app. The code
 * in the mailbox is good all the while, and another is not sent at once (rule G-04).
 */

/**
 * The address of whose code the page waits, and since when (milliseconds since 1970).
 * @property mailed whether one was mailed then; false where no more were, and an earlier one is to be used
 * @property codeChallenge by which the server knows the page that asked; without it nothing is learnt of the mail
 * @property returned whether the mail came back, as far as that is known (ADR 0091)
 */
export type SentCode = {
  email: string
  at: number
  mailed: boolean
  codeChallenge?: string
  returned?: boolean
}

export function keepSentCode(sent: SentCode): void {
  try {
    sessionStorage.setItem(SENT_CODE_KEY, JSON.stringify(sent))
  } catch {
    // Without it, a reload starts sign-in again.
  }
}

/**
 * The code that was sent from this tab and still lives; anything else that stands there is forgotten.
 * @param now milliseconds since 1970
 */
export function readSentCode(now: number): SentCode | null {
  try {
    const text = sessionStorage.getItem(SENT_CODE_KEY)
    if (text === null) return null
    const kept = JSON.parse(text) as Partial<Record<keyof SentCode, unknown>>
    const { email, at, mailed = true, codeChallenge, returned } = kept
    const isAddress = typeof email === 'string' && email.length >= LOGIN_EMAIL_MIN_LENGTH
    if (isAddress && typeof at === 'number' && isAlive(at, now))
      return {
        email,
        at,
        mailed: mailed !== false,
        ...(typeof codeChallenge === 'string' && { codeChallenge }),
        ...(returned === true && { returned }),
      }
  } catch {
    // Storage is forbidden, or holds something else.
  }
  forgetSentCode()
  return null
}

/** Whether a code still lives. A time of sending in the future is invalid: the clock was put back since. */
function isAlive(sentAt: number, now: number): boolean {
  return sentAt <= now && now < sentAt + CODE_LIFE_MINUTES * 60_000
}
