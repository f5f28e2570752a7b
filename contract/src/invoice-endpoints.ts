import type { Endpoint } from './endpoint.ts'
import { invoiceParams, invoicesAnswer } from './invoices.ts'
import { redirectAnswer } from './payments.ts'

/** Calls about one's own payments, apart from those that a first page loads. */
export const invoiceEndpoints = {
  invoices: {
    method: 'GET',
    path: '/v1/accounts/invoices',
    answer: invoicesAnswer,
  },
  openInvoice: {
    method: 'POST',
    path: '/v1/accounts/invoices/:id/open',
    params: invoiceParams,
    answer: redirectAnswer,
    asksProvider: true,
  },
} as const satisfies Record<string, Endpoint>
