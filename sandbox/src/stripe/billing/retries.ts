import { oneOf } from '../shape/shape.ts'
import type { Setting } from '../store/settings.ts'

/** Days from each failed attempt to the next. */
export const RETRY_DAYS = [3, 5, 7]

/** The possible statuses of a subscription after the last attempt (docs.stripe.com/billing/revenue-recovery). */
export const RETRY_ENDINGS = ['cancel', 'unpaid', 'past_due'] as const
export type RetryEnding = (typeof RETRY_ENDINGS)[number]

/** The account's choice among them; at first its subscriptions end. */
export const RETRY_ENDING: Setting<RetryEnding> = {
  name: 'retry-ending',
  shape: oneOf(...RETRY_ENDINGS),
  otherwise: 'cancel',
}
