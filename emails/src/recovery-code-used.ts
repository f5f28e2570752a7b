import { factsOf, type Place, type SecurityLetter } from './security-letter.tsx'

export type RecoveryCodeUsedProps = {
  /** How many codes are left. */
  left: number
  /** ISO 8601 in UTC. */
  at: string
  from: Place
  /** Public address of the product, without a slash at the end. */
  origin: string
}

/** To the owner of the account: a recovery code stood in for the authenticator app (decision 0031). */
export function recoveryCodeUsed(props: RecoveryCodeUsedProps): SecurityLetter {
  const facts = factsOf(props)
  return {
    subject: 'A recovery code was used to sign in',
    meaning: `Somebody signed in to your account with one of your recovery codes in place of your authenticator app. That code no longer works. ${leftText(props.left)}`,
    facts: [...facts, ['Recovery codes left', String(props.left)]],
    remedy:
      'If it was you, make new codes before the last one is used. If it was not, somebody else has your codes and can read your e-mail: secure your e-mail first, then end every session that is not yours and make new codes in Account > Profile.',
    undoUrl: null,
    origin: props.origin,
  }
}

function leftText(left: number): string {
  if (left === 0) return 'No recovery code is left.'
  return left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`
}
