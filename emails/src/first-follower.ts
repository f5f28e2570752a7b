import { BILLING_INTERVALS, type BillingInterval } from '@tradepost/contract/billing-interval'
import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import type { TaxLiable } from '@tradepost/contract/tax'
import * as z from 'zod'
import { defineLetter, money, OF_TRADER, SAMPLE_MONEY, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

/** To the trader, once ever: the first subscription to them has begun. The mail does not name the follower. */
export const firstFollower = defineLetter({
  category: 'money',
  facts: z.object({
    ...trader,
    /** The price that the follower pays. */
    ...money,
    /** How often they pay it; mails that were asked for before there was a year have none, and name a month. */
    interval: z.enum(BILLING_INTERVALS).optional(),
    /** The platform's part of it, in percent; null where the subscription was not bought. */
    feePercent: z.nullable(z.number()),
  }),
  letter: (props) => ({
    subject: `Your first follower on ${BRAND}`,
    paragraphs: [
      income(props),
      'From now on each position that you open or close is mailed to them at once, with your note, and they see on their home page what you hold.',
      'How many people follow you, what came in and your next payout are under Account > Subscriptions. No further mail comes for later followers: they are counted there.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(props.origin) },
    because: OF_TRADER,
  }),
  samples: {
    'first-follower': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, feePercent: 10 },
    'first-follower-by-the-year': {
      ...SAMPLE_TRADER,
      ...SAMPLE_MONEY,
      amountCents: 10_000,
      interval: 'year',
      feePercent: 10,
    },
    'first-follower-without-a-fee': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, feePercent: null },
  },
})

const TAX: Record<TaxLiable, string> = {
  platform: 'A tax that the follower owes stands in the price, and is withheld before that.',
  trader:
    'A tax that the follower owes stands in the price: it comes to you with the payment, and is yours to pay to the authorities.',
}

function income(facts: {
  amountCents: number
  currency: string
  interval?: BillingInterval | undefined
  feePercent: number | null
  taxLiable?: TaxLiable | undefined
}): string {
  const amount = formatMoney(facts.amountCents, facts.currency)
  const begun = `Somebody has subscribed to you, for ${amount} a ${facts.interval ?? 'month'}.`
  const tax = facts.taxLiable ? ` ${TAX[facts.taxLiable]}` : ''
  return facts.feePercent === null
    ? `${begun} Stripe pays it out to your bank.${tax}`
    : `${begun} ${BRAND} keeps ${facts.feePercent} % of each payment; the rest is yours, and Stripe pays it out to your bank.${tax}`
}
