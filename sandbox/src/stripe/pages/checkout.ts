import type { FastifyInstance, FastifyReply } from 'fastify'
import { completeSession, type Paid, refusal } from '../checkout/pay.ts'
import { type Amiss, type BuyerForm, questionsOf, readBuyer } from '../checkout/read-buyer.ts'
import { asksForTerms, NOT_AGREED } from '../checkout/terms-consent.ts'
import type { StripePart } from '../control/stripe-part.ts'
import type { Session } from '../model/checkout.ts'
import { type CardInput, readCard } from '../payments/cards.ts'
import { transact } from '../world/transact.ts'
import type { Tx, World } from '../world/world.ts'
import { challengeBody, NOT_AUTHENTICATED } from './card-form.ts'
import { look, page, type Values } from './checkout-view.ts'
import { CRUMBS, money, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'

/** As long as Stripe holds the buyer back for the endpoint's answer to checkout.session.completed. */
const HOLD_MS = 10_000

type Id = { Params: { id: string }; Querystring: { failed?: string } }

type Result =
  | { kind: 'closed' }
  | { kind: 'challenge' }
  | { kind: 'refused'; words: string; amiss: Amiss | null }
  | ({ kind: 'paid' } & Paid)

/** The hosted checkout page. */
export function serveCheckout(app: FastifyInstance, { world, courier }: StripePart): void {
  const onward = async (reply: FastifyReply, { session, event }: Paid) => {
    await courier.settled(event, HOLD_MS)
    return reply.redirect(successUrl(session), 303)
  }

  app.get<Id>('/c/pay/:id', ({ params, query }, reply) =>
    show(world, reply, params.id, null, query.failed === undefined ? null : NOT_AUTHENTICATED),
  )

  app.post<Id>('/c/pay/:id', (request, reply) => {
    const { id } = request.params
    const form = readForm(world, request, `/c/pay/${id}`)
    if (form === null) return staleForm(reply)
    const card = { number: form.number ?? '', expiry: form.expiry ?? '', cvc: form.cvc ?? '' }
    const { country, state, postal_code, tax_id, business_name } = form
    const buyer = { country, state, postal_code, tax_id, business_name }
    const input = { ...card, ...buyer, agreed: form.terms_of_service === 'on' }
    const result = transact(world, null, (tx) => takeCard(tx, id, input))
    if (result.kind === 'refused') return show(world, reply, id, input, result.words, result.amiss)
    if (result.kind === 'challenge') return reply.redirect(`/c/pay/${id}/approve`, 303)
    if (result.kind === 'closed') return show(world, reply, id, input, null)
    return onward(reply, result)
  })

  app.get<Id>('/c/pay/:id/approve', (request, reply) => {
    const { id } = request.params
    const found = look(world, id)
    if (found === null || found.session.status !== 'open') return reply.redirect(`/c/pay/${id}`, 303)
    const { amount_total, currency, success_url } = found.session
    const path = `/c/pay/${id}/approve`
    const wish = amount_total === 0 ? 'use this card here' : `pay ${money(amount_total, currency)}`
    const words = `Your bank asks whether you want to ${wish}.`
    return sendForm(
      reply,
      { title: '3-D Secure', crumbs: CRUMBS, body: challengeBody(tokenField(world, path), path, words) },
      [success_url],
    )
  })

  app.post<Id>('/c/pay/:id/approve', (request, reply) => {
    const { id } = request.params
    const form = readForm(world, request, `/c/pay/${id}/approve`)
    if (form === null) return staleForm(reply)
    const approved = form.answer === 'approve'
    const paid = transact(world, null, (tx) => takeAnswer(tx, id, approved))
    if (paid === null) return reply.redirect(`/c/pay/${id}${approved ? '' : '?failed=1'}`, 303)
    return onward(reply, paid)
  })
}

/** Sends the page of a session as it stands: the card form while it is open, else what became of it. */
function show(
  world: World,
  reply: FastifyReply,
  id: string,
  values: Values | null,
  refused: string | null,
  amiss: Amiss | null = null,
): FastifyReply {
  const found = look(world, id)
  if (found === null) return sendNotice(reply, 404, 'No such payment page', 'This link leads to no payment.')
  const { session } = found
  if (session.status === 'complete')
    return sendNotice(reply, 200, 'Paid', 'This has been paid already.', successUrl(session))
  if (session.status === 'expired') {
    const title = 'This payment page has expired'
    return sendNotice(reply, 410, title, 'Go back and begin again.', session.cancel_url, 'Back')
  }
  return sendForm(reply, page(world, found, values ?? found.filled, refused, amiss), [session.success_url])
}

/** A person entered a card: it pays, or is refused, or the bank asks first. */
function takeCard(tx: Tx, id: string, input: CardInput & BuyerForm & { agreed: boolean }): Result {
  const session = openSession(tx, id)
  if (session === null) return { kind: 'closed' }
  if (asksForTerms(session) && !input.agreed) return refused(NOT_AGREED)
  const buyer = readBuyer(questionsOf(tx, session), input)
  if ('words' in buyer) return refused(buyer.words, buyer)
  const card = readCard(input, tx.now)
  if (typeof card === 'string') return refused(card)
  tx.objects.note('checkout.session', id, { buyer })
  const answer = refusal(tx, session, card)
  if (answer === 'challenge') {
    tx.objects.note('checkout.session', id, { challenged: card })
    return { kind: 'challenge' }
  }
  if (answer !== null) return refused(answer)
  return { kind: 'paid', ...completeSession(tx, session, card) }
}

function refused(words: string, amiss: Amiss | null = null): Result {
  return { kind: 'refused', words, amiss }
}

/** Applies a person's answer to the bank: the card that it asked about pays, or does not. */
function takeAnswer(tx: Tx, id: string, approved: boolean): Paid | null {
  const session = openSession(tx, id)
  if (session === null) return null
  const { challenged } = tx.objects.notes('checkout.session', id)
  if (challenged === undefined) return null
  tx.objects.note('checkout.session', id, { challenged: undefined })
  return approved ? completeSession(tx, session, challenged) : null
}

function openSession(tx: Tx, id: string): Session | null {
  const session = tx.objects.find('checkout.session', id)
  return session?.status === 'open' ? session : null
}

function successUrl(session: Session): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}
