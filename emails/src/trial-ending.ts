import { BILLING_INTERVALS } from '@tradepost/contract/billing-interval'
import { formatMoney, formatPriceOf } from '@tradepost/contract/money'
import { withTaxWords } from '@tradepost/contract/tax-words'
import * as z from 'zod'
import { formatUtc, formatUtcDate, formatUtcDay } from './instants.ts'
import { defineLetter, money, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** To a follower two days before free days end and the first payment is due (rule G-123). */
export const trialEnding = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object({
    ...trader,
    ...money,
    interval: z.enum(BILLING_INTERVALS),
    /** ISO 8601. */
    endsAt: z.string(),
    /** The price behind a discount, and the first renewal that has it, ISO 8601; left out where the price stays. */
    later: z.object({ amountCents: z.int(), from: z.string() }).optional(),
  }),
  letter({ amountCents, currency, endsAt, interval, later, origin, taxLiable, trader }) {
    const amount = formatMoney(amountCents, currency)
    const each = (cents: number) => formatPriceOf(interval, cents, currency)
    const from = later
      ? `From then on you pay ${each(amountCents)}, and from ${formatUtcDate(later.from)} on ${each(later.amountCents)}, until you cancel.`
      : `From then on you pay ${withTaxWords(each(amountCents), taxLiable)}, until you cancel.`
    return {
      subject: `On ${formatUtcDay(endsAt)} your trial of @${trader} ends, and you pay ${amount}`,
      paragraphs: [
        `Your free days with @${trader} end on ${formatUtc(endsAt)}. ${from}`,
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
    'trial-ending-with-a-code': {
      ...SAMPLE_TRADER,
      amountCents: 800,
      currency: 'usd',
      interval: 'month',
      endsAt: '2026-12-06T15:04:05.000Z',
      later: { amountCents: 1250, from: '2027-03-06T15:04:05.000Z' },
    },
  },
})
