import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { trialDays } from './trial.ts'

const AMOUNT_MAX_LENGTH = 20

/** A trader's own prices, as they see and change them (rule G-28). */
export const ownPrices = z.object({
  /** Of all amounts, which are in its smallest unit. */
  currency: z.string(),
  monthlyCents: z.int(),
  yearlyCents: z.nullable(z.int()),
  /** The trader has named no price: a month costs what the product's configuration says. */
  isDefault: z.boolean(),
  minCents: z.int(),
  maxCents: z.int(),
  /** Followers who pay less than the present price of their interval, and have not agreed to it (rule G-122). */
  followersBelow: z.optional(z.int()),
  /** Followers who have agreed to it, and whose renewal with it is still to come. */
  followersAgreed: z.optional(z.int()),
  /** The free days that new followers are offered, null for none (rule G-123). A client does without. */
  trialDays: z.optional(z.nullable(trialDays)),
})
export type OwnPrices = z.infer<typeof ownPrices>

const amount = () =>
  limited(z.string(), { description: 'An amount, as `12.50`.', maxLength: AMOUNT_MAX_LENGTH })

const pricesFields = z.object({
  /** As before where it is left out together with `yearly`. */
  monthly: z.optional(amount()),
  /** Null for none, empty for that of ten months. */
  yearly: z.optional(z.nullable(amount())),
  /** Of both; the product's, which the caller has read. */
  currency: limited(z.string(), { description: 'Three letters, as `usd`.', maxLength: AMOUNT_MAX_LENGTH }),
  /** Free days for new followers, null for none; as before where it is left out. */
  trialDays: z.optional(z.nullable(trialDays)),
})

/** Prices that a trader names, free days for new followers, or both. */
export const pricesPayload = pricesFields.check(
  z.refine(({ monthly, yearly }) => (monthly === undefined) === (yearly === undefined), {
    error: 'monthly and yearly are named together',
  }),
)
