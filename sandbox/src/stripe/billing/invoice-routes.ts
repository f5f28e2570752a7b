import { cannotReceive } from '../connect/destination.ts'
import { type Invoice, itemOf, LIVE } from '../model/billing.ts'
import { methodFor } from '../payments/payment-methods.ts'
import { type ApiError, declined, invalid } from '../refusals/errors.ts'
import { fields, flag, optional, text } from '../shape/shape.ts'
import { nextPeriodEnd } from '../time/periods.ts'
import { checkStandsStill } from '../time/time-on.ts'
import { CREATED, list, PAGING, page } from '../wire/lists.ts'
import { type Call, type CallWith, type Route, route } from '../wire/route.ts'
import { DRAFT_SECONDS, draftInvoice } from './draft-invoice.ts'
import { finalize, voidInvoice } from './invoices.ts'
import { payDue } from './pay-due.ts'

const LIST = {
  ...PAGING,
  ...CREATED,
  customer: optional(text),
  subscription: optional(text),
  status: optional(text),
}
const PAY = { payment_method: optional(text), off_session: optional(flag) }
const FINALIZE = { auto_advance: optional(flag) }
const PREVIEW = { subscription: optional(text), customer: optional(text) }
const PAYMENTS = {
  ...PAGING,
  invoice: optional(text),
  payment: optional(fields({ type: text, payment_intent: optional(text) })),
  status: optional(text),
}

export const invoiceRoutes: Route[] = [
  route('GET /v1/invoices', LIST, (call) => {
    const { customer, subscription, status } = call.params
    return page(call, 'invoice', { equal: { customer, status }, parent: subscription })
  }),
  route('GET /v1/invoices/:id', {}, ({ tx, id }) => tx.need('invoice', id)),
  route('GET /v1/invoices/:id/lines', PAGING, ({ tx, id, path }) =>
    list(tx.need('invoice', id).lines.data, path),
  ),
  route('DELETE /v1/invoices/:id', {}, refuseDeletion),
  route('POST /v1/invoices/:id/pay', PAY, pay),
  route('POST /v1/invoices/:id/finalize', FINALIZE, finalizeDraft),
  route('POST /v1/invoices/:id/void', {}, takeBack),
  route('POST /v1/invoices/create_preview', PREVIEW, preview),
  route('GET /v1/invoice_payments', PAYMENTS, (call) => {
    const { invoice, payment, status } = call.params
    const equal = { status, 'payment.payment_intent': payment?.payment_intent }
    return page(call, 'invoice_payment', { equal, parent: invoice })
  }),
  route('GET /v1/invoice_payments/:id', {}, ({ tx, id }) => tx.need('invoice_payment', id)),
]

function takeBack({ tx, id }: Call): Invoice {
  const invoice = tx.need('invoice', id)
  checkStandsStill(tx, invoice.test_clock)
  if (invoice.status !== 'open' && invoice.status !== 'uncollectible')
    throw invalid(`You can only void an open or uncollectible invoice. This invoice is ${invoice.status}.`)
  voidInvoice(tx, invoice)
  return invoice
}

/** Every invoice of the sandbox is a subscription's, and of those not even a draft goes (docs.stripe.com/api/invoices/delete). */
function refuseDeletion({ tx, id }: Call): never {
  const { status } = tx.need('invoice', id)
  throw invalid(
    status === 'draft'
      ? 'A draft of a subscription cannot be deleted. Finalize it and void it.'
      : `You can only delete draft invoices. This invoice is ${status}.`,
  )
}

/** Finalizes at once, and with `auto_advance` collects at once too; without it nothing is collected automatically later. */
function finalizeDraft({ tx, params, id }: CallWith<typeof FINALIZE>): Invoice {
  const invoice = tx.need('invoice', id)
  checkStandsStill(tx, invoice.test_clock)
  if (invoice.status !== 'draft')
    throw invalid("This invoice is already finalized, you can't re-finalize a non-draft invoice.")
  const subscription = tx.need('subscription', invoice.parent.subscription_details.subscription)
  const advances = params.auto_advance ?? invoice.auto_advance
  tx.change(invoice, { auto_advance: advances })
  finalize(tx, subscription, invoice)
  if (advances) payDue(tx, subscription, invoice, 'away')
  return invoice
}

/** A payment that fails is kept as an attempt, although the call is refused. */
function pay({ tx, params, id }: CallWith<typeof PAY>): Invoice | ApiError {
  const invoice = tx.need('invoice', id)
  checkStandsStill(tx, invoice.test_clock)
  if (invoice.status === 'paid') throw invalid('Invoice is already paid', null, 'invoice_already_paid')
  if (invoice.status !== 'open') throw invalid(`This invoice is ${invoice.status} and cannot be paid.`)
  const subscription = tx.need('subscription', invoice.parent.subscription_details.subscription)
  const given = params.payment_method
  const method = given === undefined ? undefined : methodFor(tx, given, invoice.customer, 'payment_method')
  const result = payDue(tx, subscription, invoice, 'present', method)
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

/** The invoice of the next period, as a preview; nothing of it is stored. */
function preview({ tx, params }: CallWith<typeof PREVIEW>): Invoice {
  const subscription = tx.need('subscription', params.subscription ?? '', 'subscription')
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
