import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from '../../html.ts'
import { payDue } from '../billing/renewals.ts'
import type { Invoice, Subscription } from '../billing/types.ts'
import { SELLER_CANNOT_RECEIVE } from '../checkout/pay.ts'
import { checkStandsStill } from '../clock/time-on.ts'
import type { Customer } from '../customers/types.ts'
import { behaviourOf, type Card, readCard } from '../payments/cards.ts'
import {
  type Configuration,
  cancelInPortal,
  renewInPortal,
  takeFeedback,
  updateCard,
  type Visit,
  visitOf,
} from '../portal/portal.ts'
import type { StripePart } from '../stripe-part.ts'
import { type Tx, transact } from '../world.ts'
import { type CardValues, challengeBody, NOT_AUTHENTICATED, refusalNote } from './card-form.ts'
import { CRUMBS, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'
import { lookAtPortal, portalBody } from './portal-view.ts'

type Id = { Params: { token: string }; Querystring: { done?: string; failed?: string } }

type Result = 'done' | 'approve' | { refused: string } | { leave: string }

const EMPTY: CardValues = { number: '', expiry: '' }
const DONE: Record<string, string> = {
  card: 'Your card was updated.',
  cancel: 'Your cancellation is noted.',
  feedback: 'Thank you for your answer.',
  renew: 'Your subscription goes on.',
  pay: 'The invoice is paid.',
}

/** The customer portal: card, subscriptions, invoices. */
export function servePortal(app: FastifyInstance, { world }: StripePart): void {
  const gone = (reply: FastifyReply) =>
    sendNotice(reply, 410, 'This page has expired', 'Go back to where you came from and open it again.')

  const show = (
    reply: FastifyReply,
    token: string,
    note: Html | null,
    values = EMPTY,
    refused: string | null = null,
  ) => {
    const found = lookAtPortal(world, token)
    if (found === null) return gone(reply)
    const page = { title: 'Billing', crumbs: CRUMBS, body: portalBody(world, found, note, values, refused) }
    return sendForm(reply, page, [found.visit.flow?.after ?? null])
  }

  app.get<Id>('/p/session/:token', (request, reply) => {
    const { done, failed } = request.query
    const words = DONE[done ?? '']
    if (failed !== undefined) return show(reply, request.params.token, refusalNote(NOT_AUTHENTICATED))
    return show(
      reply,
      request.params.token,
      words === undefined ? null : html`<p class="done" role="status">${words}</p>`,
    )
  })

  app.post<Id & { Params: { action: string } }>('/p/session/:token/:action', (request, reply) => {
    const { token, action } = request.params
    const path = `/p/session/${token}`
    const form = readForm(world, request, path)
    if (form === null) return staleForm(reply)
    const result = transact(world, null, (tx) => {
      const visit = visitOf(tx, token)
      return visit === null ? null : act(tx, visit, action, form)
    })
    if (result === null) return gone(reply)
    if (result === 'approve') return reply.redirect(`${path}/approve`, 303)
    if (result === 'done') return reply.redirect(`${path}?done=${action}`, 303)
    if ('leave' in result) return reply.redirect(result.leave, 303)
    const typed = { number: form.number ?? '', expiry: form.expiry ?? '' }
    return show(
      reply,
      token,
      action === 'card' ? null : refusalNote(result.refused),
      typed,
      action === 'card' ? result.refused : null,
    )
  })

  app.get<Id>('/p/session/:token/approve', (request, reply) => {
    const path = `/p/session/${request.params.token}`
    if (lookAtPortal(world, request.params.token) === null) return gone(reply)
    const words = 'Your bank asks whether you want to use this card here.'
    return sendForm(reply, {
      title: '3-D Secure',
      crumbs: CRUMBS,
      body: challengeBody(tokenField(world, path), `${path}/answer`, words),
    })
  })
}

function act(tx: Tx, visit: Visit, action: string, form: Record<string, string>): Result {
  checkStandsStill(tx, tx.need<Customer>('customer', visit.customer).test_clock ?? null)
  if (action === 'cancel') return cancel(tx, visit, form)
  if (action === 'feedback') takeFeedback(tx, visit, form.subscription ?? '', form.feedback ?? '')
  if (action === 'renew') renewInPortal(tx, visit, form.subscription ?? '')
  if (action === 'pay') return pay(tx, visit, form.invoice ?? '', 'present')
  if (action === 'card') return changeCard(tx, visit, form)
  if (action === 'answer') return answer(tx, visit, form.answer === 'approve')
  return 'done'
}

function cancel(tx: Tx, visit: Visit, form: Record<string, string>): Result {
  const id = form.subscription ?? ''
  cancelInPortal(tx, visit, id)
  return visit.flow?.subscription === id && visit.flow.after !== null ? { leave: visit.flow.after } : 'done'
}

function changeCard(tx: Tx, visit: Visit, form: Record<string, string>): Result {
  const { features } = tx.need<Configuration>('billing_portal.configuration', visit.configuration)
  if (!features.payment_method_update.enabled) return 'done'
  const card = readCard({ number: form.number ?? '', expiry: form.expiry ?? '', cvc: form.cvc ?? '' }, tx.now)
  if (typeof card === 'string') return { refused: card }
  if (behaviourOf(card.number).challenge !== undefined) {
    tx.objects.saveHidden(visit.id, { card })
    return 'approve'
  }
  const refused = updateCard(tx, visit, card)
  return refused === null ? 'done' : { refused }
}

function pay(tx: Tx, visit: Visit, id: string, presence: 'present' | 'approved'): Result {
  const invoice = tx.need<Invoice>('invoice', id)
  if (invoice.customer !== visit.customer || invoice.status !== 'open') return 'done'
  const subscription = tx.need<Subscription>('subscription', invoice.parent.subscription_details.subscription)
  const result = payDue(tx, subscription, invoice, presence)
  if (result === 'paid') return 'done'
  if (result === 'no-destination') return { refused: SELLER_CANNOT_RECEIVE }
  if (result !== 'challenge') return { refused: result.message }
  tx.objects.saveHidden(visit.id, { invoice: id })
  return 'approve'
}

/** After the bank's question: the card is taken, or the invoice paid, if the answer was yes. */
function answer(tx: Tx, visit: Visit, approved: boolean): Result {
  const pending = tx.objects.hidden(visit.id) as { card?: Card; invoice?: string }
  tx.objects.saveHidden(visit.id, {})
  if (!approved) return { refused: NOT_AUTHENTICATED }
  if (pending.invoice !== undefined) return pay(tx, visit, pending.invoice, 'approved')
  if (pending.card === undefined) return 'done'
  updateCard(tx, visit, pending.card)
  const customer = tx.need<Customer>('customer', visit.customer)
  const method = customer.invoice_settings.default_payment_method ?? ''
  tx.objects.saveHidden(method, { ...tx.objects.hidden(method), approvedBefore: true })
  return 'done'
}
