import { BRAND } from '@tradepost/contract/brand'
import * as z from 'zod'
import { defineLetter, OF_SUBSCRIBER, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl, subscriptionsUrl } from './links.ts'

/** To a subscriber: nothing is charged, because the trader cannot be paid (rule G-56). */
export const collectionPaused = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object(trader),
  letter({ trader, origin }) {
    const name = `@${trader}`
    return {
      subject: `You are not charged for ${name} for now`,
      paragraphs: [
        `${name} cannot be paid on ${BRAND} at the moment, so you are not charged for your subscription. It goes on meanwhile, without cost.`,
        'If that does not change within 30 days, the subscription ends, and what you paid for days that you do not get goes back to you.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: { 'collection-paused': SAMPLE_TRADER },
})

/** To a subscriber: the trader can be paid again. */
export const collectionResumed = defineLetter({
  category: 'money',
  leaves: true,
  facts: z.object(trader),
  letter({ trader, origin }) {
    const name = `@${trader}`
    return {
      subject: `Your subscription to ${name} is charged again`,
      paragraphs: [
        `${name} can be paid again. Your subscription goes on as before, and is charged from its next renewal on; nothing is charged for the time between.`,
        'If you do not want that, choose Cancel under Account > Subscriptions.',
      ],
      action: { label: 'Open Account > Subscriptions', url: subscriptionsUrl(origin) },
      because: OF_SUBSCRIBER,
    }
  },
  samples: { 'collection-resumed': SAMPLE_TRADER },
})

/** To a trader whom Stripe cannot pay for now: the steps to take, and by when (rule G-56). */
export const payoutsPaused = defineLetter({
  category: 'money',
  facts: z.object(trader),
  letter({ origin }) {
    return {
      subject: 'You cannot be paid: subscriptions to you are not charged',
      paragraphs: [
        'Stripe has stopped payouts to you, so nobody is charged for following you, and nobody new can subscribe.',
        'Stripe says what it needs from you: choose Continue on Stripe under Account > Payments. Once you can be paid again, charging resumes automatically. If that takes longer than 30 days, the subscriptions end.',
      ],
      action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
      because: OF_TRADER,
    }
  },
  samples: { 'payouts-paused': SAMPLE_TRADER },
})
