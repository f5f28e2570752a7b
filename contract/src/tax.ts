/** The party that owes the tax within a price to the authorities, where the product has Stripe compute one (rule G-131, ADR 0135). */
export const TAX_LIABLE = ['platform', 'trader'] as const
export type TaxLiable = (typeof TAX_LIABLE)[number]
