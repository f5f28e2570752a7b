import { queryOptions } from '@tanstack/react-query'
import { invoiceEndpoints } from '@tradepost/contract/invoice-endpoints'
import { SUBSCRIPTIONS_FRESH_MS } from '@tradepost/contract/limits'
import { call } from '../../lib/api.ts'
import { SUBSCRIPTIONS } from './payment-keys.ts'

/** The viewer's newest payments; a change of their subscriptions makes them stale too. */
export const invoicesQuery = queryOptions({
  queryKey: [SUBSCRIPTIONS, 'invoices'],
  queryFn: ({ signal }) => call(invoiceEndpoints.invoices, undefined, signal),
  staleTime: SUBSCRIPTIONS_FRESH_MS,
})

/** A way to the page of an invoice at the provider. */
export async function openInvoice(id: string): Promise<string> {
  return (await call(invoiceEndpoints.openInvoice, { id })).url
}
