import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from '../../html.ts'
import { payDue } from '../billing/pay-due.ts'
import { SELLER_CANNOT_RECEIVE } from '../checkout/pay.ts'
import type { Amiss } from '../checkout/read-buyer.ts'
import type { StripePart } from '../control/stripe-part.ts'
import type { Visit } from '../model/portal.ts'
import { behaviourOf, readCard } from '../payments/cards.ts'
import { cancelInPortal, renewInPortal, takeFeedback, updateCard, visitOf } from '../portal/portal.ts'
import { checkStandsStill } from '../time/time-on.ts'
import { transact } from '../world/transact.ts'
import type { Tx, World } from '../world/world.ts'
import { type CardValues, challengeBody, NOT_AUTHENTICATED, refusalNote } from './card-form.ts'
import { CRUMBS, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'
import { changeDetails, type TypedDetails } from './portal-details.ts'
import { lookAtPortal, portalBody } from './portal-view.ts'

type Id = { Params: { token: string }; Querystring: { done?: string; failed?: string } }

type Result = 'done' | 'approve' | { refused: string } | { leave: string } | { amiss: Amiss }

const EMPTY: CardValues = { number: '', expiry: '' }
const DONE: Record<string, string> = {
  card: 'Your card was updated.',
  details: 'Your billing details were saved.',
  cancel: 'Your cancellation is noted.',
  feedback: 'Thank you for your answer.',
  renew: 'Your subscription goes on.',
  pay: 'The invoice is paid.',
}

/** The customer portal: card, subscriptions, invoices. */
export function servePortal(app: FastifyInstance, { world }: StripePart): void {
  app.get<Id>('/p/session/:token', (request, reply) => {
    const { done, failed } = request.query
    const { token } = request.params
    if (failed !== undefined) return show(world, reply, token, refusalNote(NOT_AUTHENTICATED))
    const words = DONE[done ?? '']
    const note = words === undefined ? null : html`<p class="done" role="status">${words}</p>`
    return show(world, reply, token, note)
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
    if ('amiss' in result) return show(world, reply, token, null, { typed: { form, amiss: result.amiss } })
    const typed = { number: form.number ?? '', expiry: form.expiry ?? '' }
    if (action === 'card') return show(world, reply, token, null, { values: typed, refused: result.refused })
    return show(world, reply, token, refusalNote(result.refused), { values: typed })
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

function gone(reply: FastifyReply): FastifyReply {
  return sendNotice(reply, 410, 'This page has expired', 'Go back to where you came from and open it again.')
}

type Typed = {
  values?: CardValues
  refused?: string | null
  typed?: TypedDetails | null
}

/** @param typed.refused why the bank refuses the card that `values` were typed of */
function show(
  world: World,
  reply: FastifyReply,
  token: string,
  note: Html | null,
  { refused = null, typed = null, values = EMPTY }: Typed = {},
): FastifyReply {
  const found = lookAtPortal(world, token)
  if (found === null) return gone(reply)
  const page = {
    title: 'Billing',
    crumbs: CRUMBS,
    body: portalBody(world, found, note, values, refused, typed),
  }
  return sendForm(reply, page, [found.visit.flow?.after ?? null])
}

function act(tx: Tx, visit: Visit, action: string, form: Record<string, string>): Result {
  checkStandsStill(tx, tx.need('customer', visit.customer).test_clock ?? null)
  if (action === 'cancel') return cancel(tx, visit, form)
  if (action === 'feedback') takeFeedback(tx, visit, form.subscription ?? '', form.feedback ?? '')
  if (action === 'renew') renewInPortal(tx, visit, form.subscription ?? '')
  if (action === 'pay') return pay(tx, visit, form.invoice ?? '', 'present')
  if (action === 'card') return changeCard(tx, visit, form)
  if (action === 'details') {
    const amiss = changeDetails(tx, visit, form)
    return amiss === null ? 'done' : { amiss }
  }
  if (action === 'answer') return answer(tx, visit, form.answer === 'approve')
  return 'done'
}

function cancel(tx: Tx, visit: Visit, form: Record<string, string>): Result {
  const id = form.subscription ?? ''
  cancelInPortal(tx, visit, id)
  return visit.flow?.subscription === id && visit.flow.after !== null ? { leave: visit.flow.after } : 'done'
}

function changeCard(tx: Tx, visit: Visit, form: Record<string, string>): Result {
  const { features } = tx.need('billing_portal.configuration', visit.configuration)
  if (!features.payment_method_update.enabled) return 'done'
  const card = readCard({ number: form.number ?? '', expiry: form.expiry ?? '', cvc: form.cvc ?? '' }, tx.now)
  if (typeof card === 'string') return { refused: card }
  if (behaviourOf(card.number).challenge !== undefined) {
    tx.objects.note('sandbox.portal', visit.id, { card, invoice: undefined })
    return 'approve'
  }
  const refused = updateCard(tx, visit, card)
  return refused === null ? 'done' : { refused }
}

function pay(tx: Tx, visit: Visit, id: string, presence: 'present' | 'approved'): Result {
  const invoice = tx.need('invoice', id)
  if (invoice.customer !== visit.customer || invoice.status !== 'open') return 'done'
  const subscription = tx.need('subscription', invoice.parent.subscription_details.subscription)
  const result = payDue(tx, subscription, invoice, presence)
  if (result === 'paid') return 'done'
  if (result === 'no-destination') return { refused: SELLER_CANNOT_RECEIVE }
  if (result !== 'challenge') return { refused: result.message }
  tx.objects.note('sandbox.portal', visit.id, { card: undefined, invoice: id })
  return 'approve'
}

/** After the bank's question: the card is taken, or the invoice paid, if the answer was yes. */
function answer(tx: Tx, visit: Visit, approved: boolean): Result {
  const { card, invoice } = tx.objects.notes('sandbox.portal', visit.id)
  tx.objects.note('sandbox.portal', visit.id, { card: undefined, invoice: undefined })
  if (!approved) return { refused: NOT_AUTHENTICATED }
  if (invoice !== undefined) return pay(tx, visit, invoice, 'approved')
  if (card === undefined) return 'done'
  updateCard(tx, visit, card)
  const method = tx.need('customer', visit.customer).invoice_settings.default_payment_method
  if (method !== null) tx.objects.note('payment_method', method, { approvedBefore: true })
  return 'done'
}
