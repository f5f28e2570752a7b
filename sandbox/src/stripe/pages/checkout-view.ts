import { type Html, html } from '../../html.ts'
import type { Page } from '../../page.ts'
import { type Amiss, type BuyerForm, type BuyerQuestions, questionsOf } from '../checkout/read-buyer.ts'
import { asksForTerms, NOT_AGREED, TERMS_URL } from '../checkout/terms-consent.ts'
import { termsOf } from '../discounts/redeem.ts'
import type { Price, Product } from '../model/catalog.ts'
import type { Buyer, Session, SessionPlan } from '../model/checkout.ts'
import { transact } from '../world/transact.ts'
import type { Tx, World } from '../world/world.ts'
import { buyerFields } from './buyer-form.ts'
import { type CardValues, cardFields, cardList, refusalNote } from './card-form.ts'
import { CRUMBS, tokenField } from './forms.ts'
import { type Offer, offered, reductionLines } from './terms.ts'

/** The values of the form that stay in it. */
export type Values = CardValues & BuyerForm & { agreed: boolean }

const EMPTY: Values = { number: '', expiry: '', agreed: false }

/** A session as its page shows it. */
export type Found = {
  session: Session
  plan: SessionPlan
  offer: Offer | null
  asks: BuyerQuestions
  /** The form before anybody fills it in, or as it was before the bank asked. */
  filled: Values
  price: Price
  product: Product
  email: string | null
  /** The address of the account's terms. */
  terms: string
}

/** @returns null where there is no such session */
export function look(world: World, id: string): Found | null {
  return transact(world, null, (tx) => {
    const session = tx.objects.find('checkout.session', id)
    if (session === null) return null
    const { plan, buyer } = tx.objects.notes('checkout.session', id)
    const price = tx.need('price', plan.price)
    const customer = session.customer === null ? null : tx.objects.find('customer', session.customer)
    return {
      session,
      plan,
      offer: offerOf(tx, plan),
      asks: questionsOf(tx, session),
      filled: { ...EMPTY, ...formOf(buyer) },
      price,
      product: tx.need('product', price.product),
      email: customer?.email ?? session.customer_email,
      terms: tx.settings.read(TERMS_URL),
    }
  })
}

function formOf(buyer: Buyer | undefined): BuyerForm {
  if (buyer === undefined) return {}
  return {
    country: buyer.address?.country ?? undefined,
    state: buyer.address?.state ?? undefined,
    postal_code: buyer.address?.postal_code ?? undefined,
    tax_id: buyer.taxId?.value,
    business_name: buyer.businessName ?? undefined,
  }
}

/** The discount of a session while its coupon is there. */
function offerOf(tx: Tx, { discount = null }: SessionPlan): Offer | null {
  const coupon = discount === null ? null : tx.objects.find('coupon', discount.coupon)
  if (discount === null || coupon === null) return null
  const code = discount.promotionCode === null ? null : tx.need('promotion_code', discount.promotionCode).code
  return { coupon, terms: termsOf(tx, coupon.id), code }
}

/** The page of an open session. @param amiss the answer about the buyer that was refused */
export function page(
  world: World,
  { session, plan, offer, asks, price, product, email, terms }: Found,
  values: Values,
  refused: string | null,
  amiss: Amiss | null,
): Page {
  const path = `/c/pay/${session.id}`
  return {
    title: product.name,
    here: 'Checkout',
    crumbs: CRUMBS,
    body: html`<div class="narrow">
<p class="amount">${offered(price, plan, offer)}</p>
${reductionLines(offer, session.amount_subtotal, session.amount_total, session.currency)}
${session.automatic_tax.enabled ? html`<p class="quiet">Tax included where it applies</p>` : null}
<p class="quiet">${email === null ? null : html`Billed to ${email}. `}This page stands in for Stripe’s checkout.</p>
${refusalNote(refused)}
<form class="card panel" method="post" action="${path}">${tokenField(world, path)}
${buyerFields(asks, values, amiss)}
${cardFields(values, refused === NOT_AGREED || amiss !== null ? null : refused)}
${asksForTerms(session) ? agreement(session, terms, values.agreed, refused === NOT_AGREED) : null}
<button class="main wide">Subscribe</button></form>
${cardList()}
${session.cancel_url === null ? null : html`<p><a class="tall" href="${session.cancel_url}">Back</a></p>`}
</div>`,
  }
}

/** The box to tick before one pays, with the account's own words where it sent some. */
function agreement({ custom_text }: Session, terms: string, agreed: boolean, isMissing: boolean): Html {
  const given = custom_text.terms_of_service_acceptance?.message
  const words = given ?? `I agree to the [Terms of Service](${terms}).`
  return html`<label class="agree"><input type="checkbox" name="terms_of_service"${agreed ? html` checked` : null}${
    isMissing ? html` aria-invalid="true" aria-describedby="refusal"` : null
  }> <span>${withLinks(words)}</span></label>`
}

/** The links of a text, as Stripe takes them: `[words](https://…)`. */
function withLinks(text: string): Html[] {
  return text.split(/(\[[^\]]*\]\(https?:[^)\s]*\))/).map((piece) => {
    const [, words, url] = /^\[([^\]]*)\]\((.*)\)$/.exec(piece) ?? []
    return words === undefined || url === undefined
      ? html`${piece}`
      : html`<a href="${url}" target="_blank" rel="noopener">${words}</a>`
  })
}
