import { BILLING_INTERVALS } from '@tradepost/contract/billing-interval'
import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import * as z from 'zod'
import { formatUtc, formatUtcDay } from './instants.ts'
import { defineLetter, money, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** To a follower two days before free days end and the first payment is due (rule G-123). */
export const trialEnding = defineLetter({
  category: 'money',
  facts: z.object({
    ...trader,
    ...money,
    interval: z.enum(BILLING_INTERVALS),
    /** ISO 8601. */
    endsAt: z.string(),
  }),
  letter({ amountCents, currency, endsAt, interval, origin, trader }) {
    const amount = formatMoney(amountCents, currency)
    return {
      subject: `On ${formatUtcDay(endsAt)} your trial of @${trader} ends, and you pay ${amount}`,
      paragraphs: [
        `Your free days with @${trader} end on ${formatUtc(endsAt)}. From then on you pay ${formatPriceOf(interval, amountCents, currency)}, until you cancel.`,
        'If you want to go on, you need do nothing.',
        'If you do not, choose End trial under Account > Subscriptions before then. Nothing is charged, and you see the positions until the free days are over.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'trial-ending': {
      ...SAMPLE_TRADER,
      amountCents: 1250,
      currency: 'usd',
      interval: 'month',
      endsAt: '2026-12-06T15:04:05.000Z',
    },
  },
})
