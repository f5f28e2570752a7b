import { type Declared, publicAt } from '@tradepost/contract/kept-plan'

/**
 * When an open position becomes public.
 * @param position.publicAt as it is stored: later than by the rule where it was opened before the rule, and null where it was closed
 *   before the rule
 */
export function publicAtOf(position: Declared & { publicAt?: Date | null }): Date {
  return position.publicAt ?? publicAt(position)
}
