import type { Price } from '../model/catalog.ts'
import type { Party, TaxTerms } from '../model/tax.ts'
import { type ApiError, invalid } from '../refusals/errors.ts'
import { fields, flag, type Of, optional, text } from '../shape/shape.ts'
import type { Tx } from '../world/world.ts'
import { isActive, settingsOf } from './settings.ts'

const PARTY = fields({ type: text, account: optional(text) })

/** Parameters of whatever sells: whether tax is computed and who owes it, and in whose name the invoices are. */
export const AUTOMATIC_TAX = optional(fields({ enabled: flag, liability: optional(PARTY) }))
export const INVOICE_SETTINGS = optional(fields({ issuer: optional(PARTY) }))

type Asked = { automatic: Of<typeof AUTOMATIC_TAX>; settings: Of<typeof INVOICE_SETTINGS> }

const SELF: Party = { type: 'self' }

/** The terms of what is sold without tax. */
export const NO_TAX: TaxTerms = { enabled: false, liability: null, issuer: SELF }

/**
 * The tax terms of a request.
 * @param issuerAt the parameter of the issuer
 * @throws ApiError for an account that is not there, or whose tax settings are pending
 */
export function readTaxTerms(tx: Tx, { automatic, settings }: Asked, issuerAt: string): TaxTerms {
  const enabled = automatic?.enabled === true
  const asked = automatic?.liability
  const liability = readParty(tx, asked, 'automatic_tax[liability]')
  if (enabled && !isActive(settingsOf(tx, liability.account ?? null))) throw inactive(asked !== undefined)
  return {
    enabled,
    liability: enabled ? liability : null,
    issuer: readParty(tx, settings?.issuer, issuerAt),
  }
}

function readParty(tx: Tx, given: Of<typeof PARTY> | undefined, at: string): Party {
  if (given === undefined || given.type === 'self') return SELF
  const { account } = given
  if (account === undefined)
    throw invalid(`Missing required param: ${at}[account].`, `${at}[account]`, 'parameter_missing')
  return { type: 'account', account: tx.need('v2.core.account', account, `${at}[account]`).id }
}

/** The sentence is Stripe's; its code and its parameter are not certain, since what is public of it shows neither. */
function inactive(isNamed: boolean): ApiError {
  return invalid(
    'You must have a valid head office address to enable automatic tax calculation in test mode. Visit https://dashboard.stripe.com/test/settings/tax to update it.',
    isNamed ? 'automatic_tax[liability][account]' : 'automatic_tax',
    'stripe_tax_inactive',
  )
}

/**
 * Checks that it is known of a price whether it includes tax, where tax is computed: by its own word, or by the platform's
 * default (docs.stripe.com/tax/products-prices-tax-codes-tax-behavior). The parameter that Stripe names is not certain.
 * @throws ApiError also for prices without tax, to which the sandbox adds none
 */
export function checkBehavior(tx: Tx, { id, tax_behavior }: Price, param: string): void {
  const own = tax_behavior === 'unspecified' ? null : tax_behavior
  const behavior = own ?? settingsOf(tx, null).tax_behavior
  if (behavior === 'inclusive') return
  throw invalid(
    behavior === null
      ? `The price \`${id}\` does not have a \`tax_behavior\` set which is required for automatic tax computation. Please visit https://stripe.com/docs/tax/products-prices-tax-categories-tax-behavior#tax-behavior for more information.`
      : 'The payments sandbox computes the tax of prices that include it only.',
    param,
  )
}

/** 400: the customer has no address by which tax could be computed. */
export function unknownLocation(): ApiError {
  return invalid(
    "The customer's location isn't recognized. Set a valid customer address in order to automatically calculate tax.",
    null,
    'customer_tax_location_invalid',
  )
}
