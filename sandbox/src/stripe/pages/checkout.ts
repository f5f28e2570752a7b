import type { FastifyInstance, FastifyReply } from 'fastify'
import { html } from '../../html.ts'
import type { Page } from '../../page.ts'
import type { Price } from '../catalog/prices.ts'
import type { Product } from '../catalog/products.ts'
import { completeSession, refusal } from '../checkout/pay.ts'
import type { Session, SessionPlan } from '../checkout/types.ts'
import { type Card, readCard } from '../payments/cards.ts'
import type { StripePart } from '../stripe-part.ts'
import { transact, type World } from '../world.ts'
import {
  type CardValues,
  cardFields,
  cardList,
  challengeBody,
  NOT_AUTHENTICATED,
  refusalNote,
} from './card-form.ts'
import { CRUMBS, money, readForm, sendForm, sendNotice, staleForm, tokenField } from './forms.ts'

/** As long as Stripe holds the buyer back for the endpoint's answer to checkout.session.completed. */
const HOLD_MS = 10_000

type Id = { Params: { id: string }; Querystring: { failed?: string } }

/** The hosted checkout page. */
export function serveCheckout(app: FastifyInstance, { world, courier }: StripePart): void {
  const show = (reply: FastifyReply, id: string, values: CardValues, refused: string | null) => {
    const found = look(world, id)
    if (found === null)
      return sendNotice(reply, 404, 'No such payment page', 'This link leads to no payment.')
    const { session } = found
    if (session.status === 'complete')
      return sendNotice(reply, 200, 'Paid', 'This has been paid already.', successUrl(session))
    if (session.status === 'expired')
      return sendNotice(
        reply,
        410,
        'This payment page has expired',
        'Go back and begin again.',
        session.cancel_url,
        'Back',
      )
    return sendForm(reply, page(world, found, values, refused), [session.success_url])
  }

  app.get<Id>('/c/pay/:id', (request, reply) =>
    show(
      reply,
      request.params.id,
      { number: '', expiry: '' },
      request.query.failed === undefined ? null : NOT_AUTHENTICATED,
    ),
  )

  app.post<Id>('/c/pay/:id', async (request, reply) => {
    const { id } = request.params
    const form = readForm(world, request, `/c/pay/${id}`)
    if (form === null) return staleForm(reply)
    const input = { number: form.number ?? '', expiry: form.expiry ?? '', cvc: form.cvc ?? '' }
    const result = transact(world, null, (tx) => {
      const session = tx.objects.find(id) as Session | null
      if (session?.object !== 'checkout.session' || session.status !== 'open')
        return { kind: 'closed' as const }
      const card = readCard(input, tx.now)
      if (typeof card === 'string') return { kind: 'refused' as const, words: card }
      const answer = refusal(tx, session, card)
      if (answer === 'challenge') {
        tx.objects.saveHidden(id, { ...tx.objects.hidden(id), challenged: card })
        return { kind: 'challenge' as const }
      }
      if (answer !== null) return { kind: 'refused' as const, words: answer }
      return { kind: 'paid' as const, ...completeSession(tx, session, card) }
    })
    if (result.kind === 'refused') return show(reply, id, input, result.words)
    if (result.kind === 'challenge') return reply.redirect(`/c/pay/${id}/approve`, 303)
    if (result.kind === 'closed') return show(reply, id, input, null)
    await courier.settled(result.event, HOLD_MS)
    return reply.redirect(successUrl(result.session), 303)
  })

  app.get<Id>('/c/pay/:id/approve', (request, reply) => {
    const { id } = request.params
    const found = look(world, id)
    if (found === null || found.session.status !== 'open') return reply.redirect(`/c/pay/${id}`, 303)
    const { amount_total, currency, success_url } = found.session
    const path = `/c/pay/${id}/approve`
    const words = `Your bank asks whether you want to pay ${money(amount_total, currency)}.`
    return sendForm(
      reply,
      { title: '3-D Secure', crumbs: CRUMBS, body: challengeBody(tokenField(world, path), path, words) },
      [success_url],
    )
  })

  app.post<Id>('/c/pay/:id/approve', async (request, reply) => {
    const { id } = request.params
    const form = readForm(world, request, `/c/pay/${id}/approve`)
    if (form === null) return staleForm(reply)
    const paid = transact(world, null, (tx) => {
      const session = tx.objects.find(id) as Session | null
      if (session?.object !== 'checkout.session' || session.status !== 'open') return null
      const { challenged, ...hidden } = tx.objects.hidden(id)
      if (challenged === undefined) return null
      tx.objects.saveHidden(id, hidden)
      return form.answer === 'approve' ? completeSession(tx, session, challenged as Card) : null
    })
    if (paid === null)
      return reply.redirect(`/c/pay/${id}${form.answer === 'approve' ? '' : '?failed=1'}`, 303)
    await courier.settled(paid.event, HOLD_MS)
    return reply.redirect(successUrl(paid.session), 303)
  })
}

type Found = { session: Session; price: Price; product: Product; email: string | null }

function look(world: World, id: string): Found | null {
  return transact(world, null, (tx) => {
    const session = tx.objects.find(id) as Session | null
    if (session?.object !== 'checkout.session') return null
    const { price: priceId } = tx.objects.hidden(id).plan as SessionPlan
    const price = tx.need<Price>('price', priceId)
    const customer = session.customer === null ? null : tx.objects.find(session.customer)
    return {
      session,
      price,
      product: tx.objects.find(price.product) as Product,
      email: (customer?.email as string | null | undefined) ?? session.customer_email,
    }
  })
}

function page(
  world: World,
  { session, price, product, email }: Found,
  values: CardValues,
  refused: string | null,
): Page {
  const path = `/c/pay/${session.id}`
  const { interval, interval_count } = price.recurring ?? { interval: 'month', interval_count: 1 }
  const every = interval_count === 1 ? `a ${interval}` : `every ${interval_count} ${interval}s`
  return {
    title: product.name,
    here: 'Checkout',
    crumbs: CRUMBS,
    body: html`<div class="narrow">
<p class="amount">${money(session.amount_total, session.currency)} <span class="quiet">${every}</span></p>
<p class="quiet">${email === null ? null : html`Billed to ${email}. `}This page stands in for Stripe’s checkout.</p>
${refusalNote(refused)}
<form class="card panel" method="post" action="${path}">${tokenField(world, path)}
${cardFields(values, refused)}
<button class="main wide">Subscribe</button></form>
${cardList()}
${session.cancel_url === null ? null : html`<p><a class="tall" href="${session.cancel_url}">Back</a></p>`}
</div>`,
  }
}

function successUrl(session: Session): string {
  return session.success_url.replaceAll('{CHECKOUT_SESSION_ID}', session.id)
}
