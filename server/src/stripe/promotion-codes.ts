import type { Discount } from '@tradepost/contract/discount-code'
import { sdkOf } from './sdk.ts'
import { type StripeDeps, stripeMark } from './stripe-client.ts'
import { isCode, isMissing } from './stripe-errors.ts'

/** A trader's code, as Stripe is sent it. @property endsAt after its last day, UTC; null for no end */
export type NewPromotionCode = Discount & {
  traderId: string
  id: string
  currency: string
  months: number | null
  maxUses: number | null
  endsAt: Date | null
  /** Stripe's id of the trader's product: it takes nothing off anything else. */
  product: string
}

/**
 * Makes the promotion code of a trader's discount code, and the coupon behind it. Stripe makes up its name, since names are unique over all
 * traders there. Safe to repeat: ids and keys are derived.
 * @returns its id @throws what Stripe throws
 */
export async function createPromotionCode(deps: StripeDeps, wanted: NewPromotionCode): Promise<string> {
  const { coupons, promotionCodes } = sdkOf(deps)
  const mark = stripeMark(deps.settings)
  const metadata = { ...mark, trader_id: wanted.traderId, discount_code_id: wanted.id }
  const coupon = `code_${mark.env}_${wanted.id.replaceAll('-', '')}`
  const { amountOffCents, currency, maxUses, months, percentOff } = wanted
  try {
    await coupons.create({
      id: coupon,
      ...(percentOff === null ? { amount_off: amountOffCents ?? 0, currency } : { percent_off: percentOff }),
      ...durationOf(months),
      applies_to: { products: [wanted.product] },
      metadata,
    })
  } catch (error) {
    if (!isCode(error, 'resource_already_exists')) throw error
  }
  const { id } = await promotionCodes.create(
    {
      promotion: { type: 'coupon', coupon },
      ...(maxUses !== null && { max_redemptions: maxUses }),
      ...(wanted.endsAt !== null && { expires_at: Math.floor(wanted.endsAt.getTime() / 1000) }),
      metadata,
    },
    { idempotencyKey: `promo:${mark.env}:${wanted.id}` },
  )
  return id
}

function durationOf(months: number | null) {
  if (months === null) return { duration: 'forever' } as const
  return months === 1
    ? ({ duration: 'once' } as const)
    : ({ duration: 'repeating', duration_in_months: months } as const)
}

/** Closes a promotion code for new subscriptions; running ones keep what it takes off. @throws what Stripe throws */
export async function endPromotionCode(deps: StripeDeps, id: string): Promise<void> {
  try {
    await sdkOf(deps).promotionCodes.update(id, { active: false })
  } catch (error) {
    if (!isMissing(error)) throw error
  }
}
