import * as z from 'zod'
import { defineLetter, OF_TRADER, SAMPLE_TRADER, trader } from './letter.tsx'
import { payoutsUrl } from './links.ts'

/** The reason: the account is gone, or Stripe, or a suspension, kept it from being paid for 30 days. */
const after = z.enum(['account_closed', 'waiting', 'suspended'])

const CAUSES: Record<z.infer<typeof after>, string> = {
  account_closed: 'Your payouts account at Stripe is closed, so nobody can pay you any more.',
  waiting: 'Stripe has not been able to pay you for 30 days. Nobody was charged meanwhile.',
  suspended: 'Your account has been suspended for 30 days. Nobody was charged meanwhile.',
}

/** To the trader, once for each loss: they cannot be paid any more, so the subscriptions to them end (rule G-56). */
export const payoutsLost = defineLetter({
  category: 'money',
  // No other mail informs a suspended trader that subscriptions to them have ended.
  withheldFrom: ['suppressed'],
  /** @property rejected the account was rejected, so that there is nothing to set up again */
  facts: z.object({ ...trader, after, rejected: z.optional(z.boolean()) }),
  letter: (props) => ({
    subject: 'Subscriptions to you have ended: you cannot be paid',
    paragraphs: [
      `${CAUSES[props.after]} Subscriptions to you have ended, and your subscribers have been notified.`,
      'What they had paid for days that they do not get goes back to them, and your share of it is taken from your balance at Stripe.',
      props.rejected
        ? 'Your positions and your record stay yours.'
        : 'Your positions and your record stay yours. Once your payouts are set up again, people can subscribe to you again.',
    ],
    action: { label: 'Open Account > Payments', url: payoutsUrl(props.origin) },
    because: OF_TRADER,
  }),
  samples: {
    'payouts-lost-closed': { ...SAMPLE_TRADER, after: 'account_closed' },
    'payouts-lost-waiting': { ...SAMPLE_TRADER, after: 'waiting' },
    'payouts-lost-rejected': { ...SAMPLE_TRADER, after: 'waiting', rejected: true },
    'payouts-lost-suspended': { ...SAMPLE_TRADER, after: 'suspended' },
  },
})
