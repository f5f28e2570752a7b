import { checkStandsStill } from '../clock/time-on.ts'
import { cannotReceive } from '../connect/destination.ts'
import { methodFor } from '../payments/payment-methods.ts'
import { declined, invalid } from '../wire/errors.ts'
import { list, page } from '../wire/lists.ts'
import { type Call, PAGING, type Route } from '../wire/route.ts'
import { DRAFT_SECONDS, draftInvoice } from './draft-invoice.ts'
import { finalize, voidInvoice } from './invoices.ts'
import { nextPeriodEnd } from './periods.ts'
import { payDue } from './renewals.ts'
import { type Invoice, itemOf, LIVE, type Subscription } from './types.ts'

export const invoiceRoutes: Route[] = [
  {
    endpoint: 'GET /v1/invoices',
    reads: [...PAGING, 'customer', 'subscription', 'status', 'created'],
    answer: listAll,
  },
  { endpoint: 'GET /v1/invoices/:id', reads: [], answer: ({ tx, id }) => tx.need('invoice', id) },
  {
    endpoint: 'GET /v1/invoices/:id/lines',
    reads: [...PAGING],
    answer({ tx, id, path }) {
      return list(tx.need<Invoice>('invoice', id).lines.data, path)
    },
  },
  { endpoint: 'DELETE /v1/invoices/:id', reads: [], answer: refuseDeletion },
  { endpoint: 'POST /v1/invoices/:id/pay', reads: ['payment_method', 'off_session'], answer: pay },
  { endpoint: 'POST /v1/invoices/:id/finalize', reads: ['auto_advance'], answer: finalizeDraft },
  {
    endpoint: 'POST /v1/invoices/:id/void',
    reads: [],
    answer({ tx, id }) {
      const invoice = tx.need<Invoice>('invoice', id)
      checkStandsStill(tx, invoice.test_clock)
      if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
        throw invalid(
          `You can only void an open or uncollectible invoice. This invoice is ${invoice.status}.`,
        )
      voidInvoice(tx, invoice)
      return invoice
    },
  },
  { endpoint: 'POST /v1/invoices/create_preview', reads: ['subscription', 'customer'], answer: preview },
  {
    endpoint: 'GET /v1/invoice_payments',
    reads: [...PAGING, 'invoice', 'payment.type', 'payment.payment_intent', 'status'],
    answer: listPayments,
  },
  {
    endpoint: 'GET /v1/invoice_payments/:id',
    reads: [],
    answer: ({ tx, id }) => tx.need('invoice_payment', id),
  },
]

function listAll(call: Call): unknown {
  const { customer, subscription, status } = call.params
  return page(call, 'invoice', {
    equal: {
      ...(typeof customer === 'string' && { customer }),
      ...(typeof status === 'string' && { status }),
    },
    ...(typeof subscription === 'string' && { parent: subscription }),
  })
}

function listPayments(call: Call): unknown {
  const { invoice, payment, status } = call.params
  const intent = (payment as { payment_intent?: string } | undefined)?.payment_intent
  return page(call, 'invoice_payment', {
    equal: {
      ...(typeof status === 'string' && { status }),
      ...(intent !== undefined && { 'payment.payment_intent': intent }),
    },
    ...(typeof invoice === 'string' && { parent: invoice }),
  })
}

/** Every invoice of the sandbox is a subscription's, and of those not even a draft goes (docs.stripe.com/api/invoices/delete). */
function refuseDeletion({ tx, id }: Call): never {
  const { status } = tx.need<Invoice>('invoice', id)
  throw invalid(
    status === 'draft'
      ? 'A draft of a subscription cannot be deleted. Finalize it and void it.'
      : `You can only delete draft invoices. This invoice is ${status}.`,
  )
}

/** At once, and with `auto_advance` collected at once too; without it nothing is collected automatically later. */
function finalizeDraft({ tx, params, id }: Call): unknown {
  const invoice = tx.need<Invoice>('invoice', id)
  checkStandsStill(tx, invoice.test_clock)
  if (invoice.status !== 'draft')
    throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
  const subscription = tx.need<Subscription>('subscription', invoice.parent.subscription_details.subscription)
  const advances = (params.auto_advance ?? invoice.auto_advance) === true
  tx.change(invoice, { auto_advance: advances })
  finalize(tx, subscription, invoice)
  if (advances) payDue(tx, subscription, invoice, 'away')
  return invoice
}

/** A payment that fails is kept as an attempt, although the call is refused. */
function pay({ tx, params, id }: Call): unknown {
  const invoice = tx.need<Invoice>('invoice', id)
  checkStandsStill(tx, invoice.test_clock)
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', null, 'invoice_already_paid')
  if (invoice.status !== 'open') throw invalid(`This invoice is ${invoice.status} and cannot be paid.`)
  const subscription = tx.need<Subscription>('subscription', invoice.parent.subscription_details.subscription)
  const given = params.payment_method
  const presence = params.off_session === false ? 'present' : 'away'
  const result =
    typeof given === 'string'
      ? payDue(tx, subscription, invoice, 'present', methodFor(tx, given, invoice.customer, 'payment_method'))
      : payDue(tx, subscription, invoice, presence === 'away' ? 'present' : presence)
  if (result === 'paid') return invoice
  if (result === 'no-destination') return cannotReceive()
  if (result === 'challenge')
    return declined(
      'This payment requires additional user action before it can be completed successfully.',
      'invoice_payment_intent_requires_action',
      null,
    )
  return declined(result.message, result.code, result.declineCode)
}

/** What the next period will cost; nothing of it is kept. */
function preview({ tx, params }: Call): unknown {
  const subscription = tx.need<Subscription>(
    'subscription',
    String(params.subscription ?? ''),
    'subscription',
  )
  if (!LIVE.includes(subscription.status) || subscription.cancel_at !== null)
    throw invalid('No upcoming invoices for customer', null, 'invoice_upcoming_none')
  const item = itemOf(subscription)
  const start = item.current_period_end
  const recurring = item.price.recurring ?? { interval: 'month', interval_count: 1 }
  const end = nextPeriodEnd(subscription.billing_cycle_anchor, recurring, start)
  const next = structuredClone(subscription)
  next.items.data = [{ ...item, current_period_start: start, current_period_end: end }]
  const invoice = draftInvoice(tx, next, 'upcoming')
  return { ...invoice, id: `upcoming_${invoice.id}`, next_payment_attempt: start + DRAFT_SECONDS }
}
