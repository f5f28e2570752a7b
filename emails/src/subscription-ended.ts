import * as z from 'zod'
import { defineLetter, type Letter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscribeUrl, subscriptionsUrl, traderUrl } from './links.ts'

const why = z.enum(['canceled', 'unpaid', 'disputed', 'trial_used'])

const REASON: Record<Exclude<z.infer<typeof why>, 'trial_used'>, string> = {
  canceled: 'It was canceled, and is over now.',
  unpaid: 'The last payment for it did not go through, although it was tried several times.',
  disputed: 'Your bank told us that you dispute a payment for it, so it was ended at once.',
}

const DISPUTE =
  'Your bank decides about the disputed payment. If you did not mean to dispute it, tell your bank.'

/** To the subscriber: a subscription is over, for any cause but the trader's own loss of payouts. */
export const subscriptionEnded = defineLetter({
  category: 'money',
  facts: z.object({ ...trader, why }),
  letter(props) {
    const name = `@${props.trader}`
    if (props.why === 'trial_used') return trialUsed({ ...props, name })
    const disputed = props.why === 'disputed'
    return {
      subject: `Your subscription to ${name} has ended`,
      paragraphs: [
        REASON[props.why],
        `You will not be charged for it again. The open positions of ${name} have left your home page, and you get no more mails when ${name} opens or closes one.`,
        disputed ? DISPUTE : `You can subscribe to ${name} again whenever you like.`,
      ],
      action: disputed
        ? { label: 'Open Account > Subscriptions', url: subscriptionsUrl(props.origin) }
        : { label: `View ${name}`, url: traderUrl(props) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'subscription-ended-canceled': { ...SAMPLE_TRADER, why: 'canceled' },
    'subscription-ended-unpaid': { ...SAMPLE_TRADER, why: 'unpaid' },
    'subscription-ended-disputed': { ...SAMPLE_TRADER, why: 'disputed' },
    'subscription-ended-trial-used': { ...SAMPLE_TRADER, why: 'trial_used' },
  },
})

/** Free days that were asked for a second time: by this account, address or card (rule G-123). */
function trialUsed({ name, origin, trader }: { name: string; origin: string; trader: string }): Letter {
  return {
    subject: `There is no trial of ${name} for you, and nothing was charged`,
    paragraphs: [
      `You asked for free days with ${name}. There is one trial of each trader for a person, and one in 30 days over all traders. By this account, address or card there has been one already.`,
      'So the subscription was ended at once. Nothing was charged, and nothing will be.',
      `You can subscribe to ${name} at the price whenever you like.`,
    ],
    action: { label: `Subscribe to ${name}`, url: subscribeUrl({ origin, trader }) },
    because: OF_SUBSCRIBER,
  }
}
