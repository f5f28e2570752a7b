import { BRAND } from '@tradepost/contract/brand'
import { refusalMessage } from '@tradepost/contract/errors'
import { REJECTED_REASON, rejectedFollowers } from '@tradepost/contract/payout-texts'
import * as z from 'zod'
import { defineLetter, type Letter, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

const OF_PAYOUTS: Letter['because'] = ['you set up payouts as', `on ${BRAND}`]

/** To the trader, once for each account: it was rejected for good, and there is nothing to do at Stripe (rule G-56). */
export const payoutsRejected = defineLetter({
  category: 'money',
  /** @property followed whether somebody pays to follow them */
  facts: z.object({ ...trader, followed: z.boolean() }),
  letter: ({ followed, origin }) => ({
    subject: 'Stripe will not pay you: your account there was rejected',
    paragraphs: [refusalMessage('payouts_rejected'), rejectedFollowers(followed), REJECTED_REASON],
    action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
    because: OF_PAYOUTS,
  }),
  samples: {
    'payouts-rejected': { ...SAMPLE_TRADER, followed: true },
    'payouts-rejected-unfollowed': { ...SAMPLE_TRADER, followed: false },
  },
})
