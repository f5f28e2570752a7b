/** The party that owes the tax within a price to the authorities, where the product has Stripe compute one (rule G-131, ADR 0135). */
export const TAX_LIABLE = ['platform', 'trader'] as const
export type TaxLiable = (typeof TAX_LIABLE)[number]

/** Beside a price: whatever tax there is stands in it, so that a price is what one pays wherever one lives. */
export const TAX_INCLUDED = 'tax included'
