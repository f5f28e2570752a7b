import * as z from 'zod'
import { defineLetter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl, traderUrl } from './links.ts'

const why = z.enum(['canceled', 'unpaid', 'disputed'])

const REASON: Record<z.infer<typeof why>, string> = {
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
  },
})
