import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { formatUtcDay } from './instants.ts'
import { defineLetter, money, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** To a follower whose paid month went back, because nothing of its trader reached them in it (rule G-127). */
export const emptyMonthReturned = defineLetter({
  category: 'money',
  facts: z.object({
    ...trader,
    ...money,
    /** ISO 8601, as is the next. */
    from: z.string(),
    /** Its end, which belongs to the next month. */
    until: z.string(),
  }),
  letter({ amountCents, currency, from, origin, trader, until }) {
    const amount = formatMoney(amountCents, currency)
    const whose = trader === '' ? '' : ` of @${trader}`
    return {
      subject: `Nothing${whose} reached you in your month: ${amount} come back to you`,
      paragraphs: [
        `Nothing${whose} reached you in the month that you paid for, from ${formatUtcDay(from)} to ${formatUtcDay(until)}. So ${amount} come back to your card. Banks take up to ten days to show it.`,
        'You need do nothing. A subscription that renews goes on, and you can cancel it at any time.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: trader === '' ? ['of a subscription of yours', `on ${BRAND}`] : OF_SUBSCRIBER,
    }
  },
  samples: {
    'empty-month-returned-of-nobody': {
      trader: '',
      amountCents: 1250,
      currency: 'usd',
      from: '2026-11-09T15:04:05.000Z',
      until: '2026-12-09T15:04:05.000Z',
    },
    'empty-month-returned': {
      ...SAMPLE_TRADER,
      amountCents: 1250,
      currency: 'usd',
      from: '2026-11-09T15:04:05.000Z',
      until: '2026-12-09T15:04:05.000Z',
    },
  },
})
