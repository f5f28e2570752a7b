import type { Buyer, Session } from '../model/checkout.ts'
import type { Address, TaxNumber } from '../model/tax.ts'
import { factsOf } from '../tax/compute.ts'
import { COUNTRIES, isLocation, wholeAddress } from '../tax/location.ts'
import { NUMBERS } from '../tax/tax-ids.ts'
import type { Tx } from '../world/world.ts'

const STATES =
  'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY'.split(
    ' ',
  )

/** The questions of a session's page about its buyer, and the answers that are there already. */
export type BuyerQuestions = {
  address: boolean
  number: boolean
  name: boolean
  saved: Address | null
  numbers: TaxNumber[]
}

export function questionsOf(tx: Tx, session: Session): BuyerQuestions {
  const { saves } = tx.objects.notes('checkout.session', session.id)
  // The page of a session that is over is shown also after its customer was deleted.
  const customer = session.customer === null ? null : tx.objects.find('customer', session.customer)
  const known = customer === null ? { address: null, numbers: [] } : factsOf(tx, customer.id)
  const wanted = session.automatic_tax.enabled || session.billing_address_collection === 'required'
  const asksNumber = session.tax_id_collection?.enabled === true && known.numbers.length === 0
  return {
    address: wanted && saves?.address === true,
    number: asksNumber,
    name: asksNumber && saves?.name === true,
    saved: known.address,
    numbers: known.numbers,
  }
}

/** The fields of the form about the buyer, by their names. */
export type BuyerForm = {
  country?: string | undefined
  state?: string | undefined
  postal_code?: string | undefined
  tax_id?: string | undefined
  business_name?: string | undefined
}

/** The reason why the page is shown again, and the field that it is about. */
export type Amiss = { words: string; field: keyof BuyerForm }

/** Reads the answers; a form without a field has the answer that was there before. */
export function readBuyer(asks: BuyerQuestions, form: BuyerForm): Buyer | Amiss {
  const address = asks.address ? readAddress(asks.saved, form) : null
  if (address !== null && 'words' in address) return address
  const taxId = asks.number ? readNumber(address?.country ?? asks.saved?.country ?? null, form.tax_id) : null
  if (taxId !== null && 'words' in taxId) return taxId
  const name = asks.name ? (form.business_name?.trim() ?? '') : ''
  return { address, taxId, businessName: name === '' ? null : name.slice(0, 150) }
}

function readAddress(saved: Address | null, form: BuyerForm): Address | Amiss {
  if (form.country === undefined && isLocation(saved)) return saved
  const country = form.country ?? ''
  if (!COUNTRIES.includes(country)) return { words: 'Choose your country.', field: 'country' }
  const postal_code = form.postal_code?.trim().slice(0, 20) || undefined
  if (country !== 'US') return wholeAddress({ country, postal_code })
  const state = form.state?.trim().toUpperCase() ?? ''
  if (!STATES.includes(state))
    return { words: 'Write the two letters of your state, such as NY.', field: 'state' }
  if (!/^\d{5}(-\d{4})?$/.test(postal_code ?? ''))
    return { words: 'Write the five digits of your postal code.', field: 'postal_code' }
  return wholeAddress({ country, state, postal_code })
}

function readNumber(country: string | null, given = ''): Buyer['taxId'] | Amiss {
  const value = given.replace(/[\s.]/g, '').toUpperCase()
  if (value === '') return null
  const known = NUMBERS[country ?? '']
  if (known === undefined)
    return { words: 'This page takes no tax number of your country. Leave the field empty.', field: 'tax_id' }
  if (known.form.test(value)) return { type: known.type, value }
  return { words: `This does not look like a tax number of your country: ${known.words}.`, field: 'tax_id' }
}
