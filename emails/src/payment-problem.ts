import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import {
  defineLetter,
  type Letter,
  money,
  OF_SUBSCRIBER,
  SAMPLE_MONEY,
  SAMPLE_TRADER,
  trader,
} from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

const sample = { ...SAMPLE_TRADER, ...SAMPLE_MONEY }

/** To the subscriber: a renewal was not paid; the subscription is still there, and paying mends it (rule G-33). */
export const paymentProblem = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object({
    ...trader,
    ...money,
    /** The card was declined, or the bank wants its owner to confirm. */
    problem: z.enum(['declined', 'action_required']),
    /** Stripe does not try it again automatically. */
    last: z.boolean().optional(),
  }),
  letter(props) {
    const amount = formatMoney(props.amountCents, props.currency)
    const { subject, paragraphs } =
      props.problem === 'declined' ? declined(props.trader, amount) : unconfirmed(props.trader, amount)
    return {
      subject: props.last ? `Last try: ${amount} for @${props.trader} was not paid` : subject,
      paragraphs: props.last ? [lastTry(props.trader, amount), ...paragraphs.slice(1)] : paragraphs,
      action: { label: 'Pay now', url: subscriptionsUrl(props.origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'payment-problem-declined': { ...sample, problem: 'declined' },
    'payment-problem-unconfirmed': { ...sample, problem: 'action_required' },
    'payment-problem-last': { ...sample, problem: 'declined', last: true },
  },
})

function declined(trader: string, amount: string): Pick<Letter, 'subject' | 'paragraphs'> {
  return {
    subject: `Your payment of ${amount} for @${trader} did not go through`,
    paragraphs: [
      `Your card was declined when your subscription to @${trader} renewed. Your subscription goes on for now, and the charge is tried again over the next days. If it is not paid in the end, the subscription ends.`,
      'You can pay at once, with this card or another: choose Manage under Account > Subscriptions, which opens your billing page at Stripe.',
      SAFETY,
    ],
  }
}

function unconfirmed(trader: string, amount: string): Pick<Letter, 'subject' | 'paragraphs'> {
  return {
    subject: `Your bank wants you to confirm ${amount} for @${trader}`,
    paragraphs: [
      `The renewal of your subscription to @${trader} is not paid yet, because your bank asks you to confirm the payment yourself. It goes on for now. If the renewal is not paid in the end, the subscription ends.`,
      'Choose Manage under Account > Subscriptions, which opens your billing page at Stripe, and pay the open invoice there: your bank asks you then.',
      SAFETY,
    ],
  }
}

function lastTry(trader: string, amount: string): string {
  return `The renewal of your subscription to @${trader}, ${amount}, has still not been paid, and is not charged again automatically. If you do not pay it, the subscription ends.`
}

const SAFETY = 'Card numbers are typed on pages of Stripe alone. Never send one by mail.'
