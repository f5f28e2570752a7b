import { type Html, html } from '../../html.ts'
import type { BuyerQuestions } from '../checkout/read-buyer.ts'
import { type Invoice, itemOf, type Subscription } from '../model/billing.ts'
import type { PaymentMethod } from '../model/payments.ts'
import type { Configuration, Visit } from '../model/portal.ts'
import { liveSubscriptions, visitOf } from '../portal/portal.ts'
import { transact } from '../world/transact.ts'
import type { World } from '../world/world.ts'
import { type CardValues, cardFields, cardList, refusalNote } from './card-form.ts'
import { day, money, tokenField } from './forms.ts'
import { refundedOf } from './invoice-view.ts'
import { detailsOf, detailsSection, type TypedDetails } from './portal-details.ts'
import { type Running, running } from './terms.ts'

const SHOWN = ['open', 'paid', 'void', 'uncollectible']

type Found = {
  visit: Visit
  configuration: Configuration
  subscriptions: { subscription: Subscription; name: string; discounts: Running[] }[]
  /** With what was paid back of each, in cents. */
  invoices: { invoice: Invoice; refunded: number }[]
  method: PaymentMethod | null
  details: BuyerQuestions | null
}

/** The objects that a visit to the portal shows; null when it is over. */
export function lookAtPortal(world: World, token: string): Found | null {
  return transact(world, null, (tx) => {
    const visit = visitOf(tx, token)
    if (visit === null || tx.objects.find('customer', visit.customer) === null) return null
    const { customer } = visit
    const subscriptions = liveSubscriptions(tx, customer)
    const [newest] = subscriptions
    const standard = tx.need('customer', customer).invoice_settings.default_payment_method
    const method = standard ?? newest?.default_payment_method ?? null
    const configuration = tx.need('billing_portal.configuration', visit.configuration)
    return {
      visit,
      configuration,
      details: detailsOf(tx, customer, configuration),
      subscriptions: subscriptions.map((subscription) => ({
        subscription,
        name: tx.objects.find('product', itemOf(subscription).price.product)?.name ?? 'Subscription',
        discounts: subscription.discounts.map((id) => ({
          discount: tx.need('discount', id),
          terms: tx.objects.notes('discount', id),
        })),
      })),
      // A draft is nobody's to see yet.
      invoices: tx.objects
        .list('invoice', { equal: { customer }, among: { status: SHOWN } }, { limit: 24 })
        .map((invoice) => ({ invoice, refunded: refundedOf(tx, invoice) })),
      method: method === null ? null : tx.objects.find('payment_method', method),
    }
  })
}

export function portalBody(
  world: World,
  found: Found,
  note: Html | null,
  values: CardValues,
  refused: string | null,
  typed: TypedDetails | null,
): Html {
  const { visit, configuration, details, subscriptions, invoices } = found
  const { features } = configuration
  const { headline } = configuration.business_profile
  const path = `/p/session/${visit.id}`
  const token = tokenField(world, path)
  return html`<div class="narrow">
${headline === null ? null : html`<p>${headline}</p>`}
<p class="quiet">This page stands in for Stripe’s customer portal.</p>
${note}
<section><h2>Subscriptions</h2>
${subscriptions.length === 0 ? html`<p class="quiet">No subscriptions.</p>` : null}
<ul class="things card">${subscriptions.map((one) => subscriptionItem(one, path, token, found))}</ul></section>
${features.payment_method_update.enabled ? cardSection(found, path, token, values, refused) : null}
${details === null ? null : detailsSection(details, path, token, typed)}
${features.invoice_history.enabled ? invoiceSection(invoices, path, token) : null}
${visit.return_url === null ? null : html`<p><a class="tall" href="${visit.return_url}">Back to where you came from</a></p>`}
</div>`
}

function subscriptionItem(
  { subscription, name, discounts }: Found['subscriptions'][number],
  path: string,
  token: Html,
  { visit, configuration }: Found,
): Html {
  const { id, cancel_at } = subscription
  const ends = cancel_at !== null
  const may = ends || configuration.features.subscription_cancel.enabled
  return html`<li><h3 id="${id}">${name}</h3>
${running(subscription, discounts)}
${visit.flow?.subscription === id && !ends ? html`<p class="aside">You came here to cancel this subscription.</p>` : null}
${
  may
    ? html`<form class="actions" method="post" action="${path}/${ends ? 'renew' : 'cancel'}">${token}
<input type="hidden" name="subscription" value="${id}">
<button aria-describedby="${id}">${ends ? 'Renew subscription' : 'Cancel subscription'}</button></form>`
    : null
}
${ends ? reasonForm(subscription, path, token, configuration) : null}</li>`
}

const REASONS: Record<string, string> = {
  customer_service: 'Customer service was less than expected',
  low_quality: 'Quality was less than expected',
  missing_features: 'Some features are missing',
  other: 'Another reason',
  switched_service: 'I am switching to another service',
  too_complex: 'It was too complex',
  too_expensive: 'It is too expensive',
  unused: 'I do not use it enough',
}

/** The question why, where the configuration asks it and nobody answered yet. */
function reasonForm(
  { id, cancellation_details }: Subscription,
  path: string,
  token: Html,
  { features }: Configuration,
): Html | null {
  const { enabled, options } = features.subscription_cancel.cancellation_reason
  if (!enabled || options.length === 0 || (cancellation_details?.feedback ?? null) !== null) return null
  return html`<form class="actions" method="post" action="${path}/feedback">${token}
<input type="hidden" name="subscription" value="${id}">
<label class="field">Why did you cancel?<select name="feedback">${options.map(
    (option) => html`<option value="${option}">${REASONS[option] ?? option}</option>`,
  )}</select></label><button aria-describedby="${id}">Send answer</button></form>`
}

function cardSection(
  { method }: Found,
  path: string,
  token: Html,
  values: CardValues,
  refused: string | null,
): Html {
  const card = method?.card
  return html`<section><h2>Card</h2>
<p>${card === undefined ? 'No card is saved.' : `${card.brand === 'visa' ? 'Visa' : 'Mastercard'} ending in ${card.last4}`}</p>
${refusalNote(refused)}
<form class="card panel" method="post" action="${path}/card">${token}${cardFields(values, refused)}
<button class="main">Update card</button></form>${cardList()}</section>`
}

function invoiceSection(invoices: Found['invoices'], path: string, token: Html): Html {
  return html`<section><h2>Invoices</h2>
${invoices.length === 0 ? html`<p class="quiet">No invoices.</p>` : null}
<ul class="things card">${invoices.map((one) => invoiceItem(one, path, token))}</ul></section>`
}

function invoiceItem({ invoice, refunded }: Found['invoices'][number], path: string, token: Html): Html {
  const words = { paid: 'Paid', open: 'Open', void: 'Void', draft: 'Draft', uncollectible: 'Uncollectible' }
  return html`<li><h3 id="${invoice.id}">${money(invoice.amount_due, invoice.currency)}</h3>
<p>${words[invoice.status]}, ${day(invoice.created)}${
    refunded > 0 ? html`, ${money(refunded, invoice.currency)} refunded` : null
  }</p>
<p>${pageOf(invoice)}</p>
${
  invoice.status === 'open'
    ? html`<form class="actions" method="post" action="${path}/pay">${token}
<input type="hidden" name="invoice" value="${invoice.id}"><button aria-describedby="${invoice.id}">Pay invoice</button></form>`
    : null
}</li>`
}

/** The way to an invoice's own page, on whatever port the sandbox is now. */
function pageOf({ hosted_invoice_url, number }: Invoice): Html {
  const name = `Invoice ${number ?? ''}`.trim()
  if (hosted_invoice_url === null) return html`<span class="quiet">${name}</span>`
  return html`<a href="${new URL(hosted_invoice_url).pathname}">${name}</a>`
}
