import { type Letter, type MoneyMailProps, OF_TRADER } from './letter.tsx'
import { payoutsUrl } from './links.ts'

export type PayoutsLostProps = MoneyMailProps & {
  /** What ended it: the account is gone, or Stripe, or a suspension, kept it from being paid for 30 days. */
  after: 'account_closed' | 'waiting' | 'suspended'
}

const CAUSES: Record<PayoutsLostProps['after'], string> = {
  account_closed: 'Your payouts account at Stripe is closed, so nobody can pay you any more.',
  waiting: 'Stripe has not been able to pay you for 30 days. Nobody was charged meanwhile.',
  suspended: 'Your account has been suspended for 30 days. Nobody was charged meanwhile.',
}

/** To the trader, once: they cannot be paid any more, so the subscriptions to them end (decision G-56). */
export function payoutsLost({ after, origin }: PayoutsLostProps): Letter {
  return {
    subject: 'Subscriptions to you have ended: you cannot be paid',
    paragraphs: [
      `${CAUSES[after]} Subscriptions to you have ended, and your subscribers have been notified.`,
      'What they had paid for days that they do not get goes back to them, and your share of it is taken from your balance at Stripe.',
      'Your positions and your record stay yours. Once your payouts are set up again, people can subscribe to you again.',
    ],
    action: { label: 'Open Account > Payments', url: payoutsUrl(origin) },
    because: OF_TRADER,
  }
}
