import type { Coupon, PromotionCode } from '../model/discounts.ts'
import type { Tx } from '../world/world.ts'

/** A code is active only while its coupon is valid (docs.stripe.com/api/promotion_codes/object): with the coupon its codes end. */
export function endCodes(tx: Tx, coupon: Coupon): void {
  const filter = { parent: coupon.id, equal: { active: true } }
  for (;;) {
    const codes = tx.objects.list('promotion_code', filter, { limit: 100 })
    if (codes.length === 0) return
    for (const code of codes) tx.change(code, { active: false })
  }
}

/** The time until which a coupon could be redeemed is over. */
export function expireCoupon(tx: Tx, id: string): void {
  const coupon = tx.objects.find('coupon', id)
  if (coupon === null) return
  tx.change(coupon, { valid: false })
  endCodes(tx, coupon)
}

/** The time until which a code could be redeemed is over. */
export function expireCode(tx: Tx, id: string): void {
  tx.change(tx.need('promotion_code', id), { active: false })
}

/** Whether a code was redeemed as often as it may be. */
export function isUsedUp({ max_redemptions: most, times_redeemed }: Coupon | PromotionCode): boolean {
  return most !== null && times_redeemed >= most
}
