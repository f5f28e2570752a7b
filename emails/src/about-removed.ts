import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineLetter } from './letter.tsx'

/** @property about the text that was removed @property reason as the operator wrote it */
const facts = z.object({ about: z.string(), reason: z.string() })

/** To a trader whose words about themselves an operator has removed. */
export const aboutRemoved = defineLetter({
  category: 'account',
  facts,
  letter: ({ about, origin, reason }) => ({
    subject: `We removed the words about you from your ${BRAND} profile`,
    paragraphs: [
      'These words stood on your profile:',
      { quote: about },
      'We have removed them, for this reason:',
      { quote: reason },
      'Nothing else has changed, and you can write others. If you think that this is a mistake, answer this mail.',
    ],
    action: { label: 'Write others', url: `${origin}/account` },
    because: ['of your account', `on ${BRAND}`],
  }),
  samples: {
    'about-removed': {
      about: 'I buy what will double. Ask me for my private list.',
      reason: 'It promises gains.',
    },
  },
})
