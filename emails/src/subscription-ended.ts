import { type Letter, type MoneyMailProps, OF_SUBSCRIBER } from './letter.tsx'
import { subscriptionsUrl, traderUrl } from './links.ts'

export type SubscriptionEndedProps = MoneyMailProps & { why: 'canceled' | 'unpaid' | 'disputed' }

/** A subscription is over, by whatever way but the trader's own. */
export function subscriptionEnded(props: SubscriptionEndedProps): Letter {
  const { trader, why, origin } = props
  const name = `@${trader}`
  return {
    subject: `Your subscription to ${name} has ended`,
    paragraphs: [
      REASON[why],
      `You will not be charged for it again. The open positions of ${name} have left your home page, and you get no more mails when ${name} opens or closes one.`,
      ...(why === 'disputed' ? [DISPUTE] : [`You can subscribe to ${name} again whenever you like.`]),
    ],
    action:
      why === 'disputed'
        ? { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) }
        : { label: `View ${name}`, url: traderUrl(props) },
    because: OF_SUBSCRIBER,
  }
}

const REASON: Record<SubscriptionEndedProps['why'], string> = {
  canceled: 'It was canceled, and is over now.',
  unpaid: 'The last payment for it did not go through, although it was tried several times.',
  disputed: 'Your bank told us that you dispute a payment for it, so it was ended at once.',
}

const DISPUTE =
  'Your bank decides about the disputed payment. If you did not mean to dispute it, tell your bank.'
