import * as z from 'zod/mini'
import { lesserRights } from './price-rights.ts'
import { TAX_LIABLE } from './tax.ts'

export { AUTH_STORAGE_KEY, THEME_STORAGE_KEY } from './storage-keys.ts'

/** The settings that the served page contains for the browser, so that one build serves every environment (rule G-84). */
export const pageSettings = z.object({
  marketOverride: z.nullable(z.enum(['open', 'hours'])),
  /** The platform's part of each payment, in percent; part of the terms that a trader agrees to. */
  platformFeePercent: z.number(),
  /** The price of following a trader who names none for a month: cents of `currency` (rule G-28). */
  subscription: z.object({ priceCents: z.int(), currency: z.string() }),
  /** Whether a month in which nothing is published comes back by itself (rule G-127); it does not where it is left out. */
  returnsEmptyMonths: z.optional(z.boolean()),
  /** The party that owes the tax within all prices (rule G-131); none is computed where it is left out. */
  taxLiable: z.optional(z.enum(TAX_LIABLE)),
  /** The rights to prices of now (rule G-130); all of them where it is left out. */
  priceRights: lesserRights,
  /** Set while prices, payments or mail are the sandbox's. */
  sandbox: z.nullable(
    z.object({
      /** The sandbox's index page. */
      url: z.string(),
      /** Where mail can be read, while it goes to the sandbox. */
      mailboxUrl: z.nullable(z.string()),
      /** Whether payments are the sandbox's: no card is charged, and test cards are welcome. */
      payments: z.boolean(),
    }),
  ),
})
export type PageSettings = z.infer<typeof pageSettings>

/** Id of the JSON script element that holds the settings. */
export const SETTINGS_ELEMENT_ID = 'settings'
