import { FACTOR_TRIES_COUNT, FACTOR_TRIES_MINUTES } from '@tradepost/contract/limits'
import * as z from 'zod'
import { defineMail } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

/** To the owner: so many wrong codes were given at the second step that further ones are not looked at (ADR 0083). */
export const secondFactorTried = defineMail({
  category: 'security',
  withheldFrom: [],
  facts: z.object({
    /** Of the last of them: ISO 8601 in UTC. */
    at: z.iso.datetime(),
    /** Of the last of them. */
    from: place,
  }),
  drawn: null,
  write: ({ at, from, origin }) =>
    renderSecurityLetter({
      subject: 'Wrong codes were tried at your second step',
      meaning: `Somebody who can read your e-mail began to sign in to your account, and typed ${FACTOR_TRIES_COUNT} wrong codes at the second step. Nobody got in.`,
      facts: factsOf({ at, from }),
      remedy: `If it was you, wait ${FACTOR_TRIES_MINUTES} minutes, or sign in on a device on which you have passed the second step before. If it was not, change the password of your e-mail first. Then end every session that is not yours in Account > Profile. While they go on, a new device of yours may have to wait ${FACTOR_TRIES_MINUTES} minutes.`,
      undoUrl: null,
      origin,
    }),
  samples: { 'second-factor-tried': { at: '2026-11-18T15:04:05.000Z', from: SAMPLE_PLACE } },
})
