import type { Of, Shape } from '../shape/shape.ts'
import * as billing from './billing.ts'
import * as catalog from './catalog.ts'
import * as checkout from './checkout.ts'
import * as clock from './clock.ts'
import * as connect from './connect.ts'
import * as customers from './customers.ts'
import * as discounts from './discounts.ts'
import * as payments from './payments.ts'
import * as portal from './portal.ts'
import * as tax from './tax.ts'
import * as webhooks from './webhooks.ts'

/** Every kind of object that the sandbox makes, by its `object` word: Stripe's kinds, then its own. */
const kinds = {
  account: connect.platformAccount,
  application_fee: payments.applicationFee,
  balance_transaction: payments.balanceTransaction,
  'billing_portal.configuration': portal.configuration,
  'billing_portal.session': portal.portalSession,
  charge: payments.charge,
  'checkout.session': checkout.session,
  coupon: discounts.coupon,
  customer: customers.customer,
  discount: discounts.discount,
  dispute: payments.dispute,
  event: webhooks.event,
  fee_refund: payments.feeRefund,
  invoice: billing.invoice,
  invoice_payment: billing.invoicePayment,
  item: checkout.lineItem,
  line_item: billing.invoiceLine,
  payment_intent: payments.paymentIntent,
  payment_method: payments.paymentMethod,
  payout: payments.payout,
  price: catalog.price,
  product: catalog.product,
  promotion_code: discounts.promotionCode,
  'radar.early_fraud_warning': payments.fraudWarning,
  refund: payments.refund,
  subscription: billing.subscription,
  subscription_item: billing.subscriptionItem,
  tax_id: tax.taxId,
  tax_rate: tax.taxRate,
  'test_helpers.test_clock': clock.testClock,
  transfer: payments.transfer,
  transfer_reversal: payments.transferReversal,
  'v2.core.account': connect.account,
  'v2.core.event': webhooks.thinEvent,
  'v2.core.event_destination': webhooks.destination,
  webhook_endpoint: webhooks.endpoint,
  'sandbox.login': connect.login,
  'sandbox.onboarding': connect.ticket,
  'sandbox.portal': portal.visit,
  'sandbox.tax-settings': tax.taxSettings,
  'sandbox.visit': connect.onboardingVisit,
}

/** The type of every kind of object. */
export type Kinds = { [K in keyof typeof kinds]: Of<(typeof kinds)[K]> }
export type Kind = keyof Kinds

/** The shapes of objects by kind: every object that comes out of the store has passed its shape. */
export const KINDS: { readonly [K in Kind]: Shape<Kinds[K]> } = kinds

const notes = {
  'checkout.session': checkout.sessionNotes,
  coupon: discounts.couponNotes,
  discount: discounts.discountNotes,
  invoice: billing.invoiceNotes,
  payment_method: payments.methodNotes,
  subscription: billing.subscriptionNotes,
  'v2.core.account': connect.accountNotes,
  'v2.core.event_destination': webhooks.destinationNotes,
  webhook_endpoint: webhooks.endpointNotes,
  'sandbox.portal': portal.visitNotes,
}

/** The type of what the sandbox knows of an object and Stripe does not show, such as how a test card behaves. */
export type Notes = { [K in keyof typeof notes]: Of<(typeof notes)[K]> }
export type NotedKind = keyof Notes

export const NOTES: { readonly [K in NotedKind]: Shape<Notes[K]> } = notes
