import { BRAND } from '@tradepost/contract/brand'
import { refusalMessage } from '@tradepost/contract/errors'
import { REJECTED_FOLLOWERS, REJECTED_REASON } from '@tradepost/contract/payments'
import * as z from 'zod'
import { defineLetter, type Letter, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

const OF_PAYOUTS: Letter['because'] = ['you set up payouts as', `on ${BRAND}`]

/** To the trader, once for each account: it was rejected for good, and there is nothing to do at Stripe (decision G-56). */
export const payoutsRejected = defineLetter({
  /** @property couldBePaid before; else nobody can follow them for money */
  facts: z.object({ ...trader, couldBePaid: z.boolean() }),
  letter: ({ couldBePaid, origin }) => ({
    subject: 'Stripe will not pay you: your account there was rejected',
    paragraphs: [
      refusalMessage('payouts_rejected'),
      couldBePaid ? REJECTED_FOLLOWERS : 'Nobody can subscribe to you.',
      REJECTED_REASON,
    ],
    action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
    because: OF_PAYOUTS,
  }),
  samples: {
    'payouts-rejected': { ...SAMPLE_TRADER, couldBePaid: true },
    'payouts-rejected-at-once': { ...SAMPLE_TRADER, couldBePaid: false },
  },
})
