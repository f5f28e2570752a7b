import { FACTOR_UNDO_HOURS } from '@tradepost/contract/limits'
import * as z from 'zod'
import { defineMail, type Sender } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

const facts = z.object({
  change: z.enum(['added', 'removed']),
  /** Whether other authenticator apps guard the account all the same. */
  others: z.boolean(),
  /** ISO 8601 in UTC. */
  at: z.iso.datetime(),
  /** Null when the operator did it. */
  from: z.nullable(place),
  /** Of what the mail's link undoes; null when it cannot be undone. */
  undoId: z.nullable(z.uuid()),
})
/** @property undoUrl where the change is undone; null when it cannot be */
const drawn = z.object({ undoUrl: z.nullable(z.string()) })
type SecondFactorChangedProps = z.infer<typeof facts> & z.infer<typeof drawn> & Sender

const sample = {
  at: '2026-11-18T15:04:05.000Z',
  from: SAMPLE_PLACE,
  undoId: '019ab0f0-0000-7000-8000-000000000001',
  undoUrl:
    'https://tradepost.example/mail/second-step/AbC-_0123456789abcdefgAbC-_0123456789abcdefgAbC-_0123456789abcde',
}

/** To the owner, no matter who made the change: a stolen session must not lock them out unnoticed (ADR 0030). */
export const secondFactorChanged = defineMail({
  category: 'security',
  withheldFrom: [],
  facts,
  drawn,
  write: (props) =>
    renderSecurityLetter({
      subject: subjectOf(props),
      meaning: meaning(props),
      facts: factsOf(props),
      remedy: remedy(props),
      undoUrl: props.undoUrl,
      origin: props.origin,
    }),
  samples: {
    'second-factor-on': { ...sample, change: 'added', others: false },
    'second-factor-off': { ...sample, change: 'removed', others: false },
    'second-factor-off-by-undo': { ...sample, change: 'removed', others: false, undoId: null, undoUrl: null },
    'second-factor-added': { ...sample, change: 'added', others: true },
    'second-factor-removed-by-operator': { ...sample, change: 'removed', others: true, from: null },
  },
})

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
