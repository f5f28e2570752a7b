import type { Pair } from '../stripe/subscriptions.ts'

/** What `withProviderLock` locks while somebody deals with a pair. */
export function pairLock({ subscriberId, traderId }: Pair): string {
  return `pair:${traderId}:${subscriberId}`
}
