import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import { returnedPart } from '@tradepost/contract/returned-part'
import * as z from 'zod'
import { defineLetter, money, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

const SAMPLE_RETURN = { amountCents: 432, currency: 'usd', paidCents: 1000, daysLeft: 13 }

/**
 * To the subscriber: the trader has left or cannot be paid any more, so the subscription ended without anybody's wish (rule G-56). The
 * amount is what goes back of what was paid; zero when nothing of it was left.
 */
export const traderUnavailable = defineLetter({
  category: 'money',
  facts: z.object({
    ...trader,
    ...money,
    /** Of the payments of which something goes back. Mails of an earlier version say neither this nor the next. */
    paidCents: z.optional(z.int()),
    /** Days of the paid time that were left at the end; null where all that was left goes back. */
    daysLeft: z.optional(z.nullable(z.int())),
    /** They have closed their account. */
    left: z.optional(z.boolean()),
  }),
  letter({ trader, origin, amountCents, currency, daysLeft, left, paidCents }) {
    // A name goes with its person, and money may come later.
    const name = trader === '' ? 'a trader' : `@${trader}`
    const Name = trader === '' ? 'A trader' : name
    const ended = `Your subscription to ${name} has ended`
    const amount = formatMoney(amountCents, currency)
    const part =
      paidCents === undefined
        ? amount
        : returnedPart({ returnsCents: amountCents, paidCents, currency, daysLeft })
    const returned = `You get back ${part}, to the card that paid it. Banks take up to ten days to show it.`
    return {
      subject: amountCents > 0 ? `${ended}: ${amount} is on its way back` : ended,
      paragraphs: [
        `${Name} ${left ? `has closed the account on ${BRAND}` : `cannot receive payments on ${BRAND} any more`}, so your subscription has ended. You will not be charged for it again.`,
        ...(amountCents > 0 ? [returned] : []),
        left
          ? `The positions of ${name} have left your home page, and the profile is gone.`
          : `The open positions of ${name} have left your home page, and you get no more mails about them. What ${name} has closed can still be seen on the profile.`,
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'trader-unavailable-returned': { ...SAMPLE_TRADER, ...SAMPLE_RETURN },
    'trader-unavailable-returned-whole': { ...SAMPLE_TRADER, ...SAMPLE_RETURN, amountCents: 1000 },
    'trader-unavailable-nothing': { ...SAMPLE_TRADER, amountCents: 0, currency: 'usd' },
    'trader-left': { ...SAMPLE_TRADER, ...SAMPLE_RETURN, left: true },
  },
})
