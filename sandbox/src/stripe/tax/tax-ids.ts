import type { TaxId } from '../model/tax.ts'
import { invalid } from '../refusals/errors.ts'
import { text } from '../shape/shape.ts'
import { PAGING, page } from '../wire/lists.ts'
import { type CallWith, type Route, route } from '../wire/route.ts'
import type { Tx } from '../world/world.ts'

/** The tax number of a business in a country. */
type NumberForm = { type: string; form: RegExp; words: string }

/** By country (docs.stripe.com/billing/customer/tax-ids); the sandbox knows no others. */
export const NUMBERS: Record<string, NumberForm> = {
  DE: { type: 'eu_vat', form: /^DE\d{9}$/, words: 'DE and nine digits' },
  FR: {
    type: 'eu_vat',
    form: /^FR[0-9A-HJ-NP-Z]{2}\d{9}$/,
    words: 'FR, two letters or digits, and nine digits',
  },
  GB: { type: 'gb_vat', form: /^GB(\d{9}|\d{12})$/, words: 'GB and nine or twelve digits' },
  US: { type: 'us_ein', form: /^\d{2}-\d{7}$/, words: 'two digits, a hyphen and seven digits' },
}

const CREATE = { type: text, value: text }

export const taxIdRoutes: Route[] = [
  route('GET /v1/customers/:id/tax_ids', PAGING, (call) =>
    page(call, 'tax_id', { parent: call.tx.need('customer', call.id).id }),
  ),
  route('POST /v1/customers/:id/tax_ids', CREATE, create),
]

function create({ tx, params, id }: CallWith<typeof CREATE>): TaxId {
  const customer = tx.need('customer', id)
  const forms = Object.values(NUMBERS).filter(({ type }) => type === params.type)
  if (forms.length === 0)
    throw invalid(
      'The payments sandbox knows the tax ids eu_vat of Germany and France, gb_vat and us_ein.',
      'type',
    )
  if (!forms.some(({ form }) => form.test(params.value)))
    throw invalid(`Invalid value for ${params.type}.`, 'value', 'tax_id_invalid')
  return addTaxId(tx, customer.id, params.type, params.value)
}

/** Gives a customer a tax number. Nobody asks the authorities here: what has the right form counts as verified at once. */
export function addTaxId(tx: Tx, customer: string, type: string, value: string): TaxId {
  const made = tx.make('tax_id', {
    country: type === 'us_ein' ? 'US' : value.slice(0, 2),
    customer,
    owner: { type: 'customer', customer, customer_account: null },
    type,
    value,
    verification: {
      status: type === 'us_ein' ? 'unavailable' : 'verified',
      verified_address: null,
      verified_name: null,
    },
  })
  tx.add(made, { parent: customer })
  tx.emit('customer.tax_id.created', made)
  return made
}
