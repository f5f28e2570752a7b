import type { Pair } from './stripe-subscription.ts'

/** What `withProviderLock` locks while somebody deals with a pair. */
export function pairLock({ subscriberId, traderId }: Pair): string {
  return `pair:${traderId}:${subscriberId}`
}
