import type { Buyer, Session } from '../model/checkout.ts'
import type { Customer } from '../model/customers.ts'
import { factsOf } from '../tax/compute.ts'
import { addTaxId } from '../tax/tax-ids.ts'
import type { Tx } from '../world/world.ts'

/** Saves to the customer what the buyer wrote, and shows the buyer in the session. The page asks only for what may be saved. */
export function rememberBuyer(tx: Tx, session: Session, id: string): void {
  const { buyer } = tx.objects.notes('checkout.session', session.id)
  if (buyer === undefined) return
  const customer = saveBuyer(tx, id, buyer)
  tx.change(session, { customer_details: shown(tx, session, customer, buyer) })
}

/** Saves to the customer what somebody wrote about themselves; null is left as it was. */
export function saveBuyer(tx: Tx, id: string, buyer: Buyer): Customer {
  const customer = tx.need('customer', id)
  const before = tx.change(customer, {
    ...(buyer.address !== null && { address: buyer.address }),
    ...(buyer.businessName !== null && { name: buyer.businessName }),
  })
  if (Object.keys(before).length > 0) tx.emit('customer.updated', customer, before)
  if (buyer.taxId !== null) addTaxId(tx, id, buyer.taxId.type, buyer.taxId.value)
  return customer
}

function shown(tx: Tx, session: Session, customer: Customer, buyer: Buyer): Record<string, unknown> {
  const { numbers, exempt } = factsOf(tx, customer.id)
  return tx.part('checkout.session', 'customer_details', {
    address: buyer.address ?? customer.address ?? null,
    business_name: buyer.businessName,
    email: customer.email ?? session.customer_email,
    name: customer.name ?? null,
    tax_exempt: exempt,
    tax_ids: numbers,
  })
}
