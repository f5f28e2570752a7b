import { BILLING_INTERVALS } from '@tradepost/contract/billing-interval'
import { formatPriceOf } from '@tradepost/contract/money'
import { withTaxWords } from '@tradepost/contract/tax-words'
import * as z from 'zod'
import { formatUtcDate } from './instants.ts'
import { defineLetter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** Cents of `currency` at each renewal, before and after. */
const prices = {
  ...trader,
  fromCents: z.int(),
  toCents: z.int(),
  currency: z.string(),
  interval: z.enum(BILLING_INTERVALS),
}

const SAMPLE = { ...SAMPLE_TRADER, fromCents: 1000, toCents: 1500, currency: 'usd' } as const

/** To a subscriber: the trader asks for more, and the subscriber decides (rule G-122). `from`: the first renewal that could have it, ISO 8601. */
export const priceProposed = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object({ ...prices, from: z.string() }),
  letter({ currency, from, fromCents, interval, origin, taxLiable, toCents, trader }) {
    const name = `@${trader}`
    const [before, after] = [fromCents, toCents].map((cents) => formatPriceOf(interval, cents, currency))
    return {
      subject: `${name} asks ${after} from you instead of ${before}`,
      paragraphs: [
        `You pay ${before} for following ${name}, who now asks ${withTaxWords(`${after}`, taxLiable)}. You decide: without your answer you go on paying ${before}, for as long as you follow without a break.`,
        `To pay the new price, choose Agree under Account > Subscriptions. The first renewal that can have it is that of ${formatUtcDate(from)}, and until a renewal has had it you can take your agreement back in the same place.`,
        `To end the subscription, choose Cancel there: what you have paid for stays yours until its ${interval} is over.`,
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'price-proposed': { ...SAMPLE, interval: 'month', from: '2027-01-05T12:00:00.000Z' },
    'price-proposed-of-a-year': {
      ...SAMPLE,
      fromCents: 10_000,
      toCents: 12_050,
      interval: 'year',
      from: '2027-11-05T12:00:00.000Z',
    },
  },
})

/** To a subscriber: their price has become lower (rule G-122). `from`: the next renewal, ISO 8601; null where none is known. */
export const priceLowered = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object({ ...prices, from: z.nullable(z.string()) }),
  letter({ currency, from, fromCents, interval, origin, taxLiable, toCents, trader }) {
    const name = `@${trader}`
    const [before, after] = [fromCents, toCents].map((cents) => formatPriceOf(interval, cents, currency))
    const when = from === null ? 'the next renewal' : `the renewal of ${formatUtcDate(from)}`
    return {
      subject: `Following ${name} costs you ${after} from now on`,
      paragraphs: [
        `${name} has lowered the price, and yours with it: from ${when} on you pay ${withTaxWords(`${after} instead of ${before}`, taxLiable)}. You need do nothing.`,
        'Nothing is charged or returned for the time that you have paid already.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'price-lowered': {
      ...SAMPLE,
      fromCents: 1500,
      toCents: 1250,
      interval: 'month',
      from: '2026-12-05T12:00:00.000Z',
    },
    'price-lowered-without-a-day': {
      ...SAMPLE,
      fromCents: 1500,
      toCents: 1000,
      interval: 'month',
      from: null,
    },
  },
})
