import type { ClosingPlan } from '@tradepost/contract/closing'
import { closingEndpoints } from '@tradepost/contract/closing-endpoints'
import { call } from '../../lib/api.ts'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'
import { endSession } from '../../lib/end-session.ts'
import { formatDate } from '../../lib/format.ts'
import { toast } from '../../ui/toast.ts'

/** The effects that closing would have now; asked each time, since it is about money. */
export function readClosingPlan(): Promise<ClosingPlan> {
  return call(closingEndpoints.closing)
}

/**
 * Closes the account, and leaves this browser.
 * @returns `mail_due` where a mailed code comes first, else the sentence of a failure; null once it is done
 */
export async function closeAccount(): Promise<'mail_due' | { sentence: string } | null> {
  try {
    const { eraseAt } = await call(closingEndpoints.closeAccount, { confirm: true })
    endSession(null)
    toast.success(
      `Your account is closed. The mail that we sent you gives it back until ${formatDate(eraseAt)}.`,
      { duration: 12_000 },
    )
    return null
  } catch (error) {
    if (error instanceof ApiRefusal && error.code === 'reauthentication_needed') return 'mail_due'
    return { sentence: messageOf(error) }
  }
}
