import { formatMoney } from '@tradepost/contract/money'
import { type Letter, type MoneyMailProps, OF_SUBSCRIBER, OF_TRADER } from './letter.tsx'
import { payoutsUrl, subscriptionsUrl } from './links.ts'

export type DoublePaymentReturnedProps = MoneyMailProps & {
  amountCents: number
  currency: string
  /** Whom it is written to: the one who paid, or the one who is followed. */
  to: 'subscriber' | 'trader'
}

/** Two payments for one subscription: the second went back whole (decision G-53). */
export function doublePaymentReturned(props: DoublePaymentReturnedProps): Letter {
  const amount = formatMoney(props.amountCents, props.currency)
  return props.to === 'subscriber' ? toSubscriber(props, amount) : toTrader(props, amount)
}

function toSubscriber({ trader, origin }: DoublePaymentReturnedProps, amount: string): Letter {
  return {
    subject: `You paid twice for @${trader}: ${amount} is on its way back`,
    paragraphs: [
      `Two payments for your subscription to @${trader} arrived. The second one, ${amount}, was returned whole to the card that paid it. Banks take up to ten days to show it.`,
      'Your subscription goes on with the first payment. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
    because: OF_SUBSCRIBER,
  }
}

function toTrader({ origin }: DoublePaymentReturnedProps, amount: string): Letter {
  return {
    subject: `A subscriber paid you twice: ${amount} was returned`,
    paragraphs: [
      `Somebody paid twice for one subscription to you. The second payment, ${amount}, was returned whole, and what you had received of it was taken back from your balance at Stripe.`,
      'Their subscription goes on with the first payment, which stays yours. There is nothing for you to do.',
    ],
    action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
    because: OF_TRADER,
  }
}
