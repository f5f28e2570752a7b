import { BRAND } from '@tradepost/contract/brand'
import { EMAIL_UNDO_HOURS } from '@tradepost/contract/limits'
import * as z from 'zod'
import { defineMail } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

/**
 * To the address that an account had, once it has another one: whoever made the change, the reader of that mailbox can take it back
 * (rule G-119).
 */
export const addressChanged = defineMail({
  category: 'security',
  withheldFrom: [],
  facts: z.object({
    undoId: z.uuid(),
    /** ISO 8601 in UTC. */
    at: z.iso.datetime(),
    from: place,
  }),
  drawn: z.object({ undoUrl: z.string(), newEmail: z.string() }),
  write: ({ at, from, newEmail, origin, undoUrl }) =>
    renderSecurityLetter({
      subject: `Your ${BRAND} account has another address now`,
      meaning:
        'From now on sign-in codes and all other mails of your account go to the new address, and this one no longer opens it. Other browsers and devices have been signed out.',
      facts: [['New address', newEmail], ...factsOf({ at, from })],
      remedy: `If it was you, there is nothing to do. If it was not, undo the change within ${EMAIL_UNDO_HOURS} hours: you need not be signed in, every session of the account ends, and changes of two-step verification that were made since are undone too. Until then nobody else can use this address here.`,
      undoUrl,
      origin,
    }),
  samples: {
    'address-changed': {
      undoId: '019ab0f0-0000-7000-8000-000000000001',
      at: '2026-11-18T15:04:05.000Z',
      from: SAMPLE_PLACE,
      newEmail: 'ada.new@example.com',
      undoUrl:
        'https://tradepost.example/mail/address/AbC-_0123456789abcdefgAbC-_0123456789abcdefgAbC-_0123456789abcde',
    },
  },
})
