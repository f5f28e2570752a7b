import type { Tx } from '../world.ts'

/** Days from each failed attempt to the next. */
export const RETRY_DAYS = [3, 5, 7]

/** What an account has its subscriptions become after the last attempt (docs.stripe.com/billing/revenue-recovery). */
export const RETRY_ENDINGS = ['cancel', 'unpaid', 'past_due'] as const
export type RetryEnding = (typeof RETRY_ENDINGS)[number]

/** What the account has chosen; at first its subscriptions end. */
export function retryEnding(tx: Tx): RetryEnding {
  return tx.settings.read<RetryEnding>('retry-ending', 'cancel')
}
