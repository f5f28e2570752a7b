import { BRAND } from '@tradepost/contract/brand'
import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { formatUtcDay } from './instants.ts'
import {
  defineLetter,
  feeWords,
  type Letter,
  money,
  OF_SUBSCRIBER,
  OF_TRADER,
  SAMPLE_MONEY,
  SAMPLE_SHARE,
  SAMPLE_TRADER,
  share,
  shareWords,
  trader,
} from './letter.tsx'
import { subscriptionsUrl } from './links.ts'
import type { Sender } from './mail.ts'

/** @property ended the subscription ended by it @property more the days that are left of another payment go back, too */
const facts = z.object({
  ...trader,
  ...money,
  ...share,
  to: z.enum(['subscriber', 'trader']),
  /** ISO 8601. */
  paidAt: z.string(),
  ended: z.boolean(),
  more: z.boolean(),
})
type Props = z.infer<typeof facts> & Sender

const sample = {
  ...SAMPLE_TRADER,
  ...SAMPLE_MONEY,
  ...SAMPLE_SHARE,
  paidAt: '2026-11-27T15:04:05.000Z',
  ended: true,
  more: false,
}

/** To both: a payment that its card network warned of goes back (rule G-128). It accuses nobody. */
export const paymentWarned = defineLetter({
  category: 'money',
  // Money that went back is said to everybody.
  withheldFrom: ['suppressed'],
  facts,
  letter: (props) => (props.to === 'subscriber' ? toSubscriber(props) : toTrader(props)),
  samples: {
    'payment-warned-to-subscriber': { ...sample, to: 'subscriber' },
    'payment-warned-to-subscriber-more': { ...sample, more: true, to: 'subscriber' },
    'payment-warned-to-subscriber-ended-before': { ...sample, trader: '', ended: false, to: 'subscriber' },
    'payment-warned-to-trader': { ...sample, to: 'trader' },
    'payment-warned-to-trader-more': { ...sample, more: true, to: 'trader' },
    'payment-warned-to-trader-ended-before': { ...sample, ended: false, to: 'trader' },
  },
})

function toSubscriber({ amountCents, currency, ended, more, origin, paidAt, trader }: Props): Letter {
  const back = formatMoney(amountCents, currency)
  const whose = trader === '' ? '' : ` for @${trader}`
  return {
    subject: `Your payment${whose} was returned: ${back}`,
    paragraphs: [
      `The card network said that the payment${whose} of ${formatUtcDay(paidAt)} may not have been made by the card's owner. We have returned it: ${back} goes to the card that paid it. Banks take up to ten days to show it.`,
      ended
        ? `The subscription that it paid for has ended, and nothing more is charged for it.${more ? ' The days that were left of a later payment come back, too.' : ''}`
        : 'The subscription that it paid for had ended before.',
      'If the payment was yours, there is nothing for you to do: your account stays as it is, and you can subscribe again. Your bank knows why its network said so.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: trader === '' ? ['of a subscription of yours', `on ${BRAND}`] : OF_SUBSCRIBER,
  }
}

function toTrader({ ended, more, origin, paidAt, ...sums }: Props): Letter {
  const back = formatMoney(sums.amountCents, sums.currency)
  return {
    subject: `A subscriber's payment was returned: ${back}`,
    paragraphs: [
      `The card network said that a subscriber's payment of ${formatUtcDay(paidAt)} may not have been made by the card's owner. We have returned it: ${back}${shareWords(sums)}. Your share is taken back from your balance at Stripe, and the platform returns its fee${feeWords(sums)}.`,
      ended
        ? `Their subscription to you has ended.${more ? ' The days that were left of a later payment go back, too.' : ''} There is nothing for you to do.`
        : 'Their subscription to you had ended before. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: OF_TRADER,
  }
}
