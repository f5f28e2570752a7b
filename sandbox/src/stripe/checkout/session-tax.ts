import type { Price } from '../model/catalog.ts'
import type { Session, SessionPlan } from '../model/checkout.ts'
import type { TaxTerms } from '../model/tax.ts'
import { invalid } from '../refusals/errors.ts'
import { fields, flag, type ObjectOf, type Of, optional, text } from '../shape/shape.ts'
import { type BuyerFacts, factsOf, taxOn } from '../tax/compute.ts'
import { isLocation } from '../tax/location.ts'
import { AUTOMATIC_TAX, checkBehavior, type INVOICE_SETTINGS, NO_TAX, readTaxTerms } from '../tax/terms.ts'
import type { Tx } from '../world/world.ts'

/** The parameters of a session that are about tax, and about what its page asks the buyer for it. */
export const TAX = {
  automatic_tax: AUTOMATIC_TAX,
  billing_address_collection: optional(text),
  customer_update: optional(fields({ address: optional(text), name: optional(text) })),
  tax_id_collection: optional(fields({ enabled: flag, required: optional(text) })),
}

type Params = ObjectOf<typeof TAX> & { customer?: string | undefined }

/**
 * The tax terms of a session.
 * @throws ApiError where Stripe opens no such session
 */
export function readSessionTax(
  tx: Tx,
  params: Params,
  settings: Of<typeof INVOICE_SETTINGS>,
  price: Price,
): TaxTerms {
  checkCollection(tx, params)
  const terms = readTaxTerms(
    tx,
    { automatic: params.automatic_tax, settings },
    'subscription_data[invoice_settings][issuer]',
  )
  if (terms.enabled) checkBehavior(tx, price, 'line_items[0][price]')
  return terms
}

/** Of a customer that is there already the page may save only what the session allows; the sentences are Stripe's, which names no parameter. */
function checkCollection(tx: Tx, params: Params): void {
  const { automatic_tax, tax_id_collection, customer_update, customer } = params
  if (tax_id_collection?.required === 'if_supported')
    throw invalid(
      'The payments sandbox asks for tax ids without requiring them: send `never`.',
      'tax_id_collection[required]',
    )
  if (customer === undefined) return
  tx.need('customer', customer, 'customer')
  const asksNumber = tax_id_collection?.enabled === true
  if (asksNumber && customer_update?.name !== 'auto')
    throw invalid(
      'Tax ID collection requires updating business name on the customer. To enable tax ID collection for an existing customer, please set `customer_update[name]` to `auto`.',
    )
  const savesAddress = customer_update?.address === 'auto'
  if (savesAddress || isLocation(factsOf(tx, customer).address)) return
  if (automatic_tax?.enabled === true)
    throw invalid(
      "Automatic tax calculation in Checkout requires a valid address on the Customer. Add a valid address to the Customer or set either `customer_update[address]` to 'auto' or `customer_update[shipping]` to 'auto' to save the address entered in Checkout to the Customer.",
      null,
      'customer_tax_location_invalid',
    )
  if (asksNumber)
    throw invalid(
      'We could not find a valid address on the provided customer. To enable tax ID collection, please set `customer_update[address]` to `auto`.',
    )
}

/** The fields of a session that say what its page asks for. */
export function collectionOf({ billing_address_collection, tax_id_collection }: Params) {
  return {
    billing_address_collection: billing_address_collection ?? null,
    ...(tax_id_collection !== undefined && {
      tax_id_collection: {
        enabled: tax_id_collection.enabled,
        required: tax_id_collection.required ?? 'never',
      },
    }),
  }
}

/** Which of the buyer's answers are saved to the customer; a customer that the session makes gets them all. */
export function savesOf({ customer, customer_update }: Params): { address: boolean; name: boolean } {
  return {
    address: customer === undefined || customer_update?.address === 'auto',
    name: customer === undefined || customer_update?.name === 'auto',
  }
}

/** The session's word on automatic tax before anybody's place is known. */
export function automaticTaxOf({ tax = NO_TAX }: SessionPlan): Session['automatic_tax'] {
  return {
    enabled: tax.enabled,
    liability: tax.liability,
    provider: tax.enabled ? 'stripe' : null,
    status: tax.enabled ? 'requires_location_inputs' : null,
  }
}

/** Shows the buyer's tax in a session and its line, once the buyer's place is known. */
export function showTax(tx: Tx, session: Session, facts: BuyerFacts): void {
  if (!session.automatic_tax.enabled) return
  const taxation = taxOn(tx, facts, session.amount_subtotal, session.amount_total)
  if (taxation === null) return
  tx.change(session, {
    automatic_tax: { ...session.automatic_tax, status: 'complete' },
    ...(session.total_details !== null && {
      total_details: { ...session.total_details, amount_tax: taxation.amount },
    }),
  })
  const [line] = tx.objects.list('item', { parent: session.id }, { limit: 1 })
  if (line !== undefined) tx.change(line, { amount_tax: taxation.amount })
}
