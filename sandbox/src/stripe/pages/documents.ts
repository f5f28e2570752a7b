import type { FastifyInstance } from 'fastify'
import { type Html, html } from '../../html.ts'
import type { StripePart } from '../control/stripe-part.ts'
import type { Invoice } from '../model/billing.ts'
import type { Charge } from '../model/payments.ts'
import { transact } from '../world/transact.ts'
import type { Tx } from '../world/world.ts'
import { CRUMBS, day, money, sendForm, sendNotice } from './forms.ts'
import { factsOfInvoice, invoiceBody } from './invoice-view.ts'

/** Pages that only show what was billed: a hosted invoice, a receipt. */
export function serveDocuments(app: FastifyInstance, { world }: StripePart): void {
  app.get<{ Params: { id: string; secret: string } }>('/i/:id/:secret', ({ params }, reply) => {
    const found = transact(world, null, (tx) => {
      const invoice = invoiceOf(tx, params.id, params.secret)
      return invoice === null ? null : factsOfInvoice(tx, invoice)
    })
    if (found === null) return sendNotice(reply, 404, 'No such invoice', 'This link leads to no invoice.')
    return sendForm(reply, {
      title: `Invoice ${found.invoice.number ?? ''}`,
      here: 'Invoice',
      crumbs: CRUMBS,
      body: invoiceBody(found),
    })
  })

  app.get<{ Params: { id: string } }>('/receipt/:id', ({ params }, reply) => {
    const charge = transact(world, null, (tx) => tx.objects.find('charge', params.id))
    if (charge === null) return sendNotice(reply, 404, 'No such receipt', 'This link leads to no payment.')
    return sendForm(reply, { title: 'Receipt', crumbs: CRUMBS, body: receiptBody(charge) })
  })
}

/** The invoice of a page's address; null when the secret in it is not the invoice's. */
function invoiceOf(tx: Tx, id: string, secret: string): Invoice | null {
  const found = tx.objects.find('invoice', id)
  return found !== null && tx.objects.notes('invoice', id).secret === secret ? found : null
}

function receiptBody(charge: Charge): Html {
  return html`<p class="amount">${money(charge.amount, charge.currency)}</p>
<p>${charge.status === 'succeeded' ? 'Paid' : 'Not paid'}, ${day(charge.created)}${
    charge.amount_refunded > 0 ? `, ${money(charge.amount_refunded, charge.currency)} refunded` : null
  }.</p>
<dl class="facts"><dt>For</dt><dd>${charge.description}</dd>
<dt>Card</dt><dd>ending in ${charge.payment_method_details.card.last4}</dd></dl>
<p class="quiet">This page stands in for Stripe’s receipt.</p>`
}
