import { formatMoney } from '@tradepost/contract/money'
import * as z from 'zod'
import { formatUtc } from './instants.ts'
import { defineLetter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

const sample = {
  ...SAMPLE_TRADER,
  renewsAt: '2026-12-26T09:30:00.000Z',
  amountCents: 1250,
  currency: 'usd',
}

/** Of the next renewal. Mails of an earlier version do not say it. */
const renewal = { amountCents: z.optional(z.int()), currency: z.optional(z.string()) }

/** To the subscriber, at once after a cancellation was taken back: what comes next (rule G-126). */
export const subscriptionKept = defineLetter({
  category: 'money',
  leaves: true,
  // Somebody who is suspended can take it back too.
  withheldFrom: ['suppressed'],
  facts: z.object({
    ...trader,
    /** ISO 8601; null while nothing is charged. */
    renewsAt: z.nullable(z.string()),
    ...renewal,
    /** Its free days run: nothing was ever charged. */
    inTrial: z.boolean(),
  }),
  letter({ amountCents, currency, inTrial, origin, renewsAt, trader }) {
    const amount =
      amountCents === undefined || currency === undefined ? null : formatMoney(amountCents, currency)
    return {
      subject: `Your subscription to @${trader} goes on`,
      paragraphs: [
        `You took back the cancellation of your subscription to @${trader}, so it does not end.`,
        nextWords(renewsAt, inTrial, amount),
        `If you did not mean to, choose ${inTrial ? 'End trial' : 'Cancel'} under Account > Subscriptions.`,
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'subscription-kept': { ...sample, inTrial: false },
    'subscription-kept-in-trial': { ...sample, inTrial: true },
    'subscription-kept-while-paused': { ...sample, renewsAt: null, inTrial: false },
  },
})

function nextWords(renewsAt: string | null, inTrial: boolean, amount: string | null): string {
  if (renewsAt === null) return 'Nothing is charged for now. A mail comes before that changes.'
  if (inTrial)
    return `Its free days end on ${formatUtc(renewsAt)}, and the first payment${amount ? ` of ${amount}` : ''} is taken then.`
  return `It renews on ${formatUtc(renewsAt)}, and ${amount ?? 'it'} is charged then${amount ? '' : ' as before'}.`
}
