import { FACTOR_UNDO_HOURS } from '@tradepost/contract/limits'
import { factsOf, type Place, type SecurityLetter } from './security-letter.tsx'

export type SecondFactorChangedProps = {
  change: 'added' | 'removed'
  /** Whether other authenticator apps guard the account all the same. */
  others: boolean
  /** ISO 8601 in UTC. */
  at: string
  /** Null when the operator did it. */
  from: Place | null
  /** Where the change is undone; null when it cannot be. */
  undoUrl: string | null
  /** Public address of the product, without a slash at the end. */
  origin: string
}

/** To the owner, no matter who made the change: a stolen session must not lock them out unnoticed (decision 0030). */
export function secondFactorChanged(props: SecondFactorChangedProps): SecurityLetter {
  return {
    subject: subjectOf(props),
    meaning: meaning(props),
    facts: factsOf(props),
    remedy: remedy(props),
    undoUrl: props.undoUrl,
    origin: props.origin,
  }
}

function subjectOf({ change, others }: SecondFactorChangedProps): string {
  if (others) return `An authenticator app was ${change}`
  return `Two-step verification was turned ${change === 'added' ? 'on' : 'off'}`
}

function meaning({ change, others }: SecondFactorChangedProps): string {
  if (change === 'added') {
    return others
      ? 'From now on its codes confirm a sign-in to your account as well.'
      : 'From now on signing in to your account also takes a code from an authenticator app. Sessions that began without it have been signed out.'
  }
  return others
    ? 'Its codes no longer sign in to your account; your other authenticator apps still do.'
    : 'From now on the code from your e-mail is enough to sign in to your account.'
}

function remedy({ undoUrl }: SecondFactorChangedProps): string {
  const unknown =
    'If it was you, there is nothing to do. If it was not, somebody else has access to your account:'
  const mailbox = 'make sure that nobody else can read your e-mail.'
  if (undoUrl === null)
    return `${unknown} end every session that is not yours in Account > Profile, and ${mailbox}`
  return `${unknown} undo the change within ${FACTOR_UNDO_HOURS} hours. A code is mailed to you first, you need not be signed in, and every session of your account ends. Then ${mailbox}`
}
