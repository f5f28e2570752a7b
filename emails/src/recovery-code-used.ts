import * as z from 'zod'
import { defineMail } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

const sample = { at: '2026-11-18T15:04:05.000Z', from: SAMPLE_PLACE }

/** To the owner of the account: a recovery code stood in for the authenticator app (ADR 0031). */
export const recoveryCodeUsed = defineMail({
  category: 'security',
  withheldFrom: [],
  facts: z.object({
    /** How many codes are left. */
    left: z.int(),
    /** ISO 8601 in UTC. */
    at: z.iso.datetime(),
    from: place,
  }),
  drawn: null,
  write: ({ left, at, from, origin }) =>
    renderSecurityLetter({
      subject: 'A recovery code was used to sign in',
      meaning: `Somebody signed in to your account with one of your recovery codes in place of your authenticator app. That code no longer works. ${leftText(left)}`,
      facts: [...factsOf({ at, from }), ['Recovery codes left', String(left)]],
      remedy:
        'If it was you, make new codes before the last one is used. If it was not, somebody else has your codes and can read your e-mail: secure your e-mail first, then end every session that is not yours and make new codes in Account > Profile.',
      undoUrl: null,
      origin,
    }),
  samples: {
    'recovery-code-used': { ...sample, left: 9 },
    'last-recovery-code-used': { ...sample, left: 0 },
  },
})

function leftText(left: number): string {
  if (left === 0) return 'No recovery code is left.'
  return left === 1 ? 'One recovery code is left.' : `${left} recovery codes are left.`
}
