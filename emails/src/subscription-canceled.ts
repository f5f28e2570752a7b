import * as z from 'zod'
import { formatUtc, formatUtcDate } from './instants.ts'
import { defineLetter, OF_SUBSCRIBER, SAMPLE_TRADER, trader } from './letter.tsx'
import { subscriptionsUrl } from './links.ts'

const sample = {
  ...SAMPLE_TRADER,
  canceledAt: '2026-11-29T15:04:05.000Z',
  endsAt: '2026-12-26T09:30:00.000Z',
}

/** To the subscriber, at once after each cancellation: when it was made, and what comes next (rule G-126). */
export const subscriptionCanceled = defineLetter({
  category: 'money',
  leaves: true,
  // Somebody who is suspended can leave too.
  withheldFrom: ['suppressed'],
  facts: z.object({
    ...trader,
    /** ISO 8601, as `endsAt`. */
    canceledAt: z.string(),
    endsAt: z.string(),
    /** Its free days run: nothing was ever charged. */
    inTrial: z.boolean(),
    /** Until when it can be withdrawn from, ISO 8601; left out where it cannot. */
    withdrawUntil: z.optional(z.string()),
  }),
  letter({ canceledAt, endsAt, inTrial, origin, trader, withdrawUntil }) {
    return {
      subject: `Your subscription to @${trader} is canceled, and ends on ${formatUtcDate(endsAt)}`,
      paragraphs: [
        `You canceled your subscription to @${trader} on ${formatUtc(canceledAt)}.`,
        inTrial
          ? `It ends with its free days, on ${formatUtc(endsAt)}. Until then you see the positions of @${trader}. Nothing was charged, and nothing will be.`
          : `It ends on ${formatUtc(endsAt)}, with the time that you have paid. Until then you see the positions of @${trader} and are mailed of them. Nothing more is charged.`,
        ...(withdrawUntil === undefined
          ? []
          : [
              `You can still withdraw instead, until ${formatUtc(withdrawUntil)}: it then ends at once, and you get back what you paid, or the part for the days left. Choose Withdraw under Account > Subscriptions, or press “Cancel or withdraw” at the end of this mail.`,
            ]),
        'If you change your mind before that day, choose Keep it under Account > Subscriptions.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: {
    'subscription-canceled': { ...sample, inTrial: false },
    'subscription-canceled-in-its-first-days': {
      ...sample,
      inTrial: false,
      withdrawUntil: '2026-12-10T09:30:00.000Z',
    },
    'subscription-canceled-in-trial': { ...sample, inTrial: true },
  },
})
