import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import {
  defineLetter,
  money,
  OF_TRADER,
  SAMPLE_MONEY,
  SAMPLE_SHARE,
  SAMPLE_TRADER,
  share,
  shareWords,
  trader,
} from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** To the trader: how a bank decided about a payment that it had taken back (rule G-129). The mail does not name the payer. */
export const disputeDecided = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, ...money, ...share, outcome: z.enum(['won', 'lost']) }),
  letter({ origin, outcome, ...sums }) {
    const amount = formatMoney(sums.amountCents, sums.currency)
    return {
      subject:
        outcome === 'won'
          ? `The dispute about ${amount} is won`
          : `The dispute about ${amount} is lost: the payment stays with its payer`,
      paragraphs:
        outcome === 'won'
          ? [
              `A subscriber's bank had taken back a payment of ${amount} for following you${shareWords(sums)}. It has decided that the payment was right.`,
              'Your share of it goes to your balance at Stripe again. The subscription stays ended.',
            ]
          : [
              `A subscriber's bank had taken back a payment of ${amount} for following you${shareWords(sums)}. It has decided for its customer, and nobody can appeal.`,
              'Your share of it, which was taken from your balance at Stripe, is not paid again. The platform does not charge you for the dispute.',
            ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: {
    'dispute-won': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, ...SAMPLE_SHARE, outcome: 'won' },
    'dispute-lost': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, ...SAMPLE_SHARE, outcome: 'lost' },
  },
})
