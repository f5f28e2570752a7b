import * as z from 'zod'
import { defineMail, type Sender } from './mail.ts'
import { factsOf, place, renderSecurityLetter, SAMPLE_PLACE } from './security-letter.tsx'

const facts = z.object({
  undoId: z.uuid(),
  /** Which mailbox of the two this mail goes to. */
  to: z.enum(['old', 'new']),
  /** ISO 8601 in UTC. */
  at: z.iso.datetime(),
  from: place,
})
/** @property oldEmail that the account has again @property newEmail that it had meanwhile */
const drawn = z.object({ oldEmail: z.string(), newEmail: z.string() })
type AddressRestoredProps = z.infer<typeof facts> & z.infer<typeof drawn> & Sender

const sample = {
  undoId: '019ab0f0-0000-7000-8000-000000000001',
  at: '2026-11-18T15:04:05.000Z',
  from: SAMPLE_PLACE,
  oldEmail: 'ada@example.com',
  newEmail: 'ada.new@example.com',
}

/** To both addresses of a change that was taken back. It cannot be put back, or two mailboxes would go on and on (rule G-119). */
export const addressRestored = defineMail({
  category: 'security',
  withheldFrom: [],
  facts,
  drawn,
  write: (props) =>
    renderSecurityLetter({
      subject: 'A change of your address was undone',
      meaning:
        'Somebody has opened the link of our mail to the address from before, and taken the change back. All sessions of the account have ended, its recovery codes stopped working, and changes of two-step verification made since are undone too.',
      facts: [['Address now', props.oldEmail], ['Address meanwhile', props.newEmail], ...factsOf(props)],
      remedy: remedy(props),
      undoUrl: null,
      origin: props.origin,
    }),
  samples: {
    'address-restored': { ...sample, to: 'old' },
    'address-taken-back': { ...sample, to: 'new' },
  },
})

function remedy({ to }: AddressRestoredProps): string {
  return to === 'old'
    ? 'If it was you, sign in again with this address, and make sure that nobody else can read your e-mail. If it was not, somebody else reads it: see to that first.'
    : 'This address no longer opens the account. If it is your account and you did not undo the change, somebody else reads the mailbox from before: secure that one first, then sign in with it and change the address again.'
}
