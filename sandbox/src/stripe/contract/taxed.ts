import type Stripe from 'stripe'
import { open, press } from './browser.ts'
import { api, CARD, checkout, type Scene, setScene } from './scene.ts'
import type { TestWorld } from './world.ts'

/** The parameters of a session whose tax is computed: owed by the platform, or by a connected account. */
export function taxed(account: string | null = null) {
  const party = account === null ? { type: 'self' } : { type: 'account', account }
  return {
    automatic_tax: { enabled: true, liability: party },
    billing_address_collection: 'required',
    customer_update: { address: 'auto', name: 'auto' },
    tax_id_collection: { enabled: true },
  }
}

/** A scene whose price of ten dollars includes its tax. */
export async function taxScene(world: TestWorld, name: string): Promise<Scene> {
  const scene = await setScene(world, name)
  await api(world, 'POST', `/v1/prices/${scene.price}`, { tax_behavior: 'inclusive' })
  return scene
}

/** The session and the invoice of a checkout that was paid with these answers on its page. */
export async function buy(
  stripe: Stripe,
  world: TestWorld,
  scene: Scene,
  answers: Record<string, string>,
  more: object = {},
): Promise<{ session: Stripe.Checkout.Session; invoice: Stripe.Invoice }> {
  const { id, url } = await checkout(world, scene, { ...taxed(), ...more })
  const paid = await press(await open(url), 'Subscribe', { ...CARD, ...answers })
  if (paid.location === null) throw new Error('The page took no payment.')
  const session = await stripe.checkout.sessions.retrieve(id, { expand: ['invoice'] })
  return { session, invoice: session.invoice as Stripe.Invoice }
}

/** Answers of buyers, as they fill in the page. */
export const NEW_YORK = { country: 'US', state: 'NY', postal_code: '10001' }
export const GERMAN_BUSINESS = { country: 'DE', tax_id: 'DE123456789', business_name: 'Muster GmbH' }
