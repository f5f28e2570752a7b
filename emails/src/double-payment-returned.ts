import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import {
  defineLetter,
  type Letter,
  money,
  OF_SUBSCRIBER,
  OF_TRADER,
  SAMPLE_MONEY,
  SAMPLE_TRADER,
  trader,
} from './letter.tsx'
import { payoutsUrl, subscriptionsUrl } from './links.ts'
import type { Sender } from './mail.ts'

/** @property to whom it is written: the one who paid, or the one who is followed */
const facts = z.object({ ...trader, ...money, to: z.enum(['subscriber', 'trader']) })
type Props = z.infer<typeof facts> & Sender

/** To both: of two payments for one subscription the second went back whole (rule G-53). */
export const doublePaymentReturned = defineLetter({
  category: 'money',
  facts,
  letter(props) {
    const amount = formatMoney(props.amountCents, props.currency)
    return props.to === 'subscriber' ? toSubscriber(props, amount) : toTrader(props, amount)
  },
  samples: {
    'double-payment-to-subscriber': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, to: 'subscriber' },
    'double-payment-to-trader': { ...SAMPLE_TRADER, ...SAMPLE_MONEY, to: 'trader' },
  },
})

function toSubscriber({ trader, origin }: Props, amount: string): Letter {
  return {
    subject: `You paid twice for @${trader}: ${amount} is on its way back`,
    paragraphs: [
      `Two payments for your subscription to @${trader} arrived. Your whole second payment of ${amount} was returned to the card that paid it. Banks take up to ten days to show it.`,
      'Your subscription goes on with the first payment. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: OF_SUBSCRIBER,
  }
}

function toTrader({ origin }: Props, amount: string): Letter {
  return {
    subject: `A subscriber paid you twice: ${amount} was returned`,
    paragraphs: [
      `Somebody paid twice for one subscription to you. Their whole second payment of ${amount} was returned, and what you had received of it was taken back from your balance at Stripe.`,
      'Their subscription goes on with the first payment, which stays yours. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
    because: OF_TRADER,
  }
}
