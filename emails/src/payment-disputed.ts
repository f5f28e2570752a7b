import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import {
  defineLetter,
  feeWords,
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

/** To the trader: a bank took a payment back (rule G-55). The mail does not name the payer. */
export const paymentDisputed = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, ...money, ...share }),
  letter({ origin, ...sums }) {
    const amount = formatMoney(sums.amountCents, sums.currency)
    return {
      subject: `A payment of ${amount} to you is disputed`,
      paragraphs: [
        `A subscriber's bank has taken back a payment of ${amount} for following you${shareWords(sums)}. Their subscription has ended. Your share is taken from your balance at Stripe, and the platform gives up its fee${feeWords(sums)}.`,
        'We answer the bank. If the dispute is won, you get your share again. The list “Returned and disputed” says how it stands.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: { 'payment-disputed': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, ...SAMPLE_SHARE } },
})
