import type { Address, Tax, TaxNumber } from '../model/tax.ts'
import type { Tx } from '../world/world.ts'
import { isLocation } from './location.ts'
import { type Judgement, judge, type TaxedBuyer, taxWithin } from './rates.ts'

/** A customer as invoices and sessions show the buyer. */
export type BuyerFacts = { address: Address | null; numbers: TaxNumber[]; exempt: string }

/** The present address and tax numbers of a customer. */
export function factsOf(tx: Tx, customer: string): BuyerFacts {
  const { address = null, tax_exempt } = tx.need('customer', customer)
  const ids = tx.objects.list('tax_id', { parent: customer }, { limit: 100 })
  return { address, numbers: ids.map(({ type, value }) => ({ type, value })), exempt: tax_exempt ?? 'none' }
}

/** The taxes within two amounts in cents, the subtotal before discounts and the total after them. */
export type Taxation = { taxes: Tax[]; amount: number; subtotalExcluding: number; totalExcluding: number }

/** @returns null where the buyer's place is not known, so that nothing can be computed */
export function taxOn(
  tx: Tx,
  { address, numbers, exempt }: BuyerFacts,
  subtotal: number,
  total: number,
): Taxation | null {
  if (!isLocation(address)) return null
  const buyer: TaxedBuyer = { location: address, numbers, exempt }
  const judgement = judge(buyer)
  const amount = taxWithin(total, judgement.rate)
  const tax: Tax = {
    amount,
    tax_behavior: 'inclusive',
    tax_rate_details: { tax_rate: rateOf(tx, buyer, judgement) },
    taxability_reason: judgement.reason,
    // Of what is not taxed nothing is taxable; Stripe's examples are not of one mind for a reverse charge.
    taxable_amount: judgement.reason === 'standard_rated' ? total - amount : 0,
    type: 'tax_rate_details',
  }
  return {
    taxes: [tax],
    amount,
    subtotalExcluding: subtotal - taxWithin(subtotal, judgement.rate),
    totalExcluding: total - amount,
  }
}

/** The tax rate of a judgement: made once, and the same for everybody afterwards. */
function rateOf(tx: Tx, { location }: TaxedBuyer, { place, kind, rate }: Judgement): string {
  const percentage = rate / 1000
  const same = { jurisdiction: place, display_name: kind, percentage }
  const [known] = tx.objects.list('tax_rate', { equal: same }, { limit: 1 })
  if (known !== undefined) return known.id
  const made = tx.make('tax_rate', {
    ...same,
    // Rates of Stripe Tax are used up as they are made: nobody sells at them by hand.
    active: false,
    country: location.country,
    description: null,
    effective_percentage: percentage,
    inclusive: true,
    jurisdiction_level: location.country === 'US' ? 'state' : 'country',
    metadata: {},
    rate_type: 'percentage',
    state: location.country === 'US' ? location.state : null,
    tax_type: kind === 'VAT' ? 'vat' : 'sales_tax',
  })
  tx.add(made)
  return made.id
}
