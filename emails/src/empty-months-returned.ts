import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { defineLetter, money, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

/** To a trader after paid months went back in which nothing had reached the followers (rule G-127): one mail a day, an entry each currency. */
export const emptyMonthsReturned = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, returns: z.array(z.object({ ...money, months: z.int() })).min(1) }),
  letter({ origin, returns }) {
    const sums = returns.map(({ amountCents, currency }) => formatMoney(amountCents, currency)).join(' and ')
    const months = returns.reduce((sum, one) => sum + one.months, 0)
    const paid = months === 1 ? 'a paid month' : `${months.toLocaleString('en-US')} paid months`
    return {
      subject: `${sums} went back for ${paid} in which nothing of yours arrived`,
      paragraphs: [
        `In ${paid} nothing of yours reached the follower, so what was paid for ${months === 1 ? 'it' : 'them'}, ${sums}, went back.`,
        'What you had received of it was taken back from your balance at Stripe, and the fee on it was given up.',
      ],
      action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: {
    'empty-months-returned': {
      ...SAMPLE_TRADER,
      returns: [{ amountCents: 12_000, currency: 'usd', months: 12 }],
    },
    'empty-month-returned-of-one': {
      ...SAMPLE_TRADER,
      returns: [{ amountCents: 1250, currency: 'usd', months: 1 }],
    },
  },
})
