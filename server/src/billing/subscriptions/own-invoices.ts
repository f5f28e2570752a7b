import { type invoicesAnswer, PAYMENTS_LISTED } from '@tradepost/contract/invoices'
import type * as z from 'zod'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { fetchInvoicePage } from '../../stripe/invoices.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { callStripe } from '../provider/call-stripe.ts'
import { isOwnInvoice, listOwnInvoices } from './own-invoices.queries.ts'

/** The caller's newest payments, with their tax and what came back of each. */
export async function listInvoices(
  db: Queryable,
  caller: { userId: string },
): Promise<z.infer<typeof invoicesAnswer>> {
  const found = await listOwnInvoices(db, caller.userId, PAYMENTS_LISTED + 1)
  const invoices = found
    .slice(0, PAYMENTS_LISTED)
    .map(({ paidAt, ...one }) => ({ ...one, paidAt: paidAt.toISOString() }))
  return { invoices, more: found.length > PAYMENTS_LISTED }
}

/**
 * The page of one of the caller's invoices at Stripe, where it can be printed. Asked for at each press: its address ends after some weeks.
 * @throws not_found, payment_refused, payment_provider_error
 */
export async function openInvoice(
  deps: BillingDeps,
  caller: { userId: string },
  id: string,
  now: Date,
): Promise<string> {
  if (!(await isOwnInvoice(deps.db, caller.userId, id))) throw refusal('not_found')
  return callStripe(deps, now, async () => {
    const page = await fetchInvoicePage(deps, id)
    if (page === null) throw refusal('payment_refused')
    return page
  })
}
