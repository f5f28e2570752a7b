import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineLetter, type Letter } from './letter.tsx'

const OF_ACCOUNT: Letter['because'] = ['of your account', `on ${BRAND}`]

/** @property reason as the operator wrote it */
const facts = z.object({ reason: z.string() })

/** To the person who was suspended: also explains what that means for their money. */
export const accountSuspended = defineLetter({
  category: 'account',
  // Nobody else is informed that they are suspended.
  withheldFrom: ['suppressed'],
  facts,
  letter: ({ origin, reason }) => ({
    subject: `Your ${BRAND} account is suspended`,
    paragraphs: [
      'We have suspended your account, for this reason:',
      { quote: reason },
      'You cannot use it meanwhile, and get no mails about positions. You are not charged for the traders you follow, and nobody is charged for following you.',
      'If you think that this is a mistake, answer this mail.',
    ],
    action: { label: `Go to ${BRAND}`, url: origin },
    because: OF_ACCOUNT,
  }),
  samples: {
    'account-suspended': { reason: 'Several people report that your notes are copied from a newsletter.' },
  },
})

/** To the person who was suspended, once the suspension is over. */
export const accountRestored = defineLetter({
  category: 'account',
  facts,
  letter: ({ origin, reason }) => ({
    subject: `Your ${BRAND} account is open again`,
    paragraphs: [
      'Your account is no longer suspended, for this reason:',
      { quote: reason },
      'You can sign in as before. Subscriptions that were not charged meanwhile, yours and those to you, are charged again from their next renewal on.',
    ],
    action: { label: `Go to ${BRAND}`, url: origin },
    because: OF_ACCOUNT,
  }),
  samples: { 'account-restored': { reason: 'The reports were wrong.' } },
})
