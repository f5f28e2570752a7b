import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { defineLetter, money, OF_TRADER, SAMPLE_MONEY, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

/** To the trader: a bank took a payment back (rule G-55). The mail does not name the payer. */
export const paymentDisputed = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, ...money }),
  letter({ amountCents, currency, origin }) {
    const amount = formatMoney(amountCents, currency)
    return {
      subject: `A payment of ${amount} to you is disputed`,
      paragraphs: [
        `A subscriber's bank has taken back a payment of ${amount} for following you. Their subscription has ended, and your share of the payment is taken from your balance at Stripe.`,
        'We answer the bank. If the dispute is won, you get your share again.',
      ],
      action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: { 'payment-disputed': { ...SAMPLE_TRADER, ...SAMPLE_MONEY } },
})
