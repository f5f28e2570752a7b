import { type Html, html } from '../../html.ts'
import { saveBuyer } from '../checkout/buyer.ts'
import { type Amiss, type BuyerForm, type BuyerQuestions, readBuyer } from '../checkout/read-buyer.ts'
import type { Configuration, Visit } from '../model/portal.ts'
import { factsOf } from '../tax/compute.ts'
import type { Tx } from '../world/world.ts'
import { buyerFields } from './buyer-form.ts'
import { refusalNote } from './card-form.ts'

/** The questions about a customer that the portal asks, with the answers that are there; null where it may change nothing. */
export function detailsOf(tx: Tx, customer: string, { features }: Configuration): BuyerQuestions | null {
  if (!features.customer_update.enabled) return null
  const { address, numbers } = factsOf(tx, customer)
  return { address: true, number: numbers.length === 0, name: true, saved: address, numbers }
}

/** The form as somebody typed it, and why it was not taken. */
export type TypedDetails = { form: BuyerForm; amiss: Amiss }

/** Renewals are taxed by these. */
export function detailsSection(
  asks: BuyerQuestions,
  path: string,
  token: Html,
  typed: TypedDetails | null,
): Html {
  return html`<section><h2>Billing details</h2>
${asks.numbers.length === 0 ? null : html`<p>Tax number ${asks.numbers.map(({ value }) => value).join(', ')}</p>`}
${refusalNote(typed?.amiss.words ?? null)}
<form class="card panel" method="post" action="${path}/details">${token}${buyerFields(asks, typed?.form ?? {}, typed?.amiss ?? null)}
<button class="main">Save details</button></form></section>`
}

/** @returns what is amiss, or null once all is saved */
export function changeDetails(tx: Tx, visit: Visit, form: BuyerForm): Amiss | null {
  const asks = detailsOf(tx, visit.customer, tx.need('billing_portal.configuration', visit.configuration))
  if (asks === null) return null
  const buyer = readBuyer(asks, form)
  if ('words' in buyer) return buyer
  saveBuyer(tx, visit.customer, buyer)
  return null
}
