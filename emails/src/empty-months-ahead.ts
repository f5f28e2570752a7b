import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { formatUtcDay } from './instants.ts'
import { defineLetter, money, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

/** Months that end on one day. */
const ending = z.object({
  ...money,
  followers: z.int(),
  /** When the first of them began; ISO 8601, as is the next. */
  from: z.string(),
  until: z.string(),
})
type Ending = z.infer<typeof ending>

/** To a trader a week before paid months end in which nothing has reached the followers (rule G-127): one mail a day, whatever their number. */
export const emptyMonthsAhead = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, endings: z.array(ending).min(1) }),
  letter({ endings, origin }) {
    const [first] = endings
    const subject =
      endings.length === 1 && first
        ? `On ${formatUtcDay(first.until)} ${backTo(first)}, unless you publish`
        : 'Paid months end in which nothing of yours has reached the follower'
    return {
      subject,
      paragraphs: [
        ...endings.map(
          (one) =>
            `Since ${formatUtcDay(one.from)} nothing of yours has reached ${followersOf(one)}. On ${formatUtcDay(one.until)} ${backTo(one)}, unless you publish before.`,
        ),
        'A position that you open or close until then, and that reaches them, keeps the month yours.',
      ],
      action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: {
    'empty-months-ahead': {
      ...SAMPLE_TRADER,
      endings: [
        {
          amountCents: 12_000,
          currency: 'usd',
          followers: 12,
          from: '2026-11-09T15:04:05.000Z',
          until: '2026-12-09T15:04:05.000Z',
        },
      ],
    },
    'empty-months-ahead-of-two-days': {
      ...SAMPLE_TRADER,
      endings: [
        {
          amountCents: 12_000,
          currency: 'usd',
          followers: 12,
          from: '2026-11-09T15:04:05.000Z',
          until: '2026-12-09T15:04:05.000Z',
        },
        {
          amountCents: 1250,
          currency: 'usd',
          followers: 1,
          from: '2026-11-10T09:00:00.000Z',
          until: '2026-12-10T09:00:00.000Z',
        },
      ],
    },
  },
})

function backTo(one: Ending): string {
  return `${formatMoney(one.amountCents, one.currency)} go back to ${followersOf(one)}`
}

function followersOf({ followers }: Ending): string {
  return followers === 1 ? 'one follower' : `${followers.toLocaleString('en-US')} followers`
}
