import { randomBytes } from 'node:crypto'

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const PREFIXES: Record<string, string> = {
  account: 'acct_1',
  application_fee: 'fee_1',
  balance_transaction: 'txn_3',
  'billing_portal.configuration': 'bpc_1',
  'billing_portal.session': 'bps_1',
  charge: 'ch_3',
  'checkout.session': 'cs_test_a1',
  coupon: '',
  customer: 'cus_',
  discount: 'di_1',
  dispute: 'du_1',
  event: 'evt_1',
  fee_refund: 'fr_1',
  invoice: 'in_1',
  invoice_payment: 'inpay_1',
  item: 'li_1',
  line_item: 'il_1',
  payment_intent: 'pi_3',
  payment_method: 'pm_1',
  payout: 'po_1',
  price: 'price_1',
  product: 'prod_',
  promotion_code: 'promo_1',
  'radar.early_fraud_warning': 'issfr_1',
  refund: 're_3',
  subscription: 'sub_1',
  subscription_item: 'si_',
  tax_id: 'txi_1',
  tax_rate: 'txr_1',
  transfer: 'tr_3',
  transfer_reversal: 'trr_1',
  'test_helpers.test_clock': 'clock_1',
  'v2.core.account': 'acct_1',
  'v2.core.event': 'evt_test_65',
  'v2.core.event_destination': 'ed_test_61',
  webhook_endpoint: 'we_1',
}

/** How many random characters follow, where it is not as many as usual. */
const LENGTHS: Record<string, number> = { 'checkout.session': 56, coupon: 8 }

/** A fresh id in Stripe's form for this type of object: 22 random characters of base 62. */
export function newId(type: string): string {
  const prefix = PREFIXES[type]
  if (prefix === undefined) throw new Error(`Objects of type ${type} have no id form.`)
  return prefix + randomText(LENGTHS[type] ?? (prefix.endsWith('_') ? 14 : 22))
}

/** Random characters of base 62; the small unevenness of taking bytes modulo 62 does not matter for ids of a sandbox. */
export function randomText(length: number): string {
  return [...randomBytes(length)].map((byte) => LETTERS[byte % LETTERS.length]).join('')
}
