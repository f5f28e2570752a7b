import { ensureProduct } from '../../stripe/prices.ts'
import { createPromotionCode, endPromotionCode } from '../../stripe/promotion-codes.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findEndedPromotionCode, type StoredCode, storePromotionCode } from './discount-codes.queries.ts'

const DAY_MS = 86_400_000

/**
 * Makes sure that Stripe has the promotion code of a trader's code. Safe to repeat and to run twice at once.
 * @returns Stripe's id @throws what Stripe throws
 */
export async function ensurePromotionCode(
  deps: BillingDeps,
  trader: { userId: string; username: string },
  code: StoredCode,
): Promise<string> {
  if (code.stripePromotionCodeId !== null) return code.stripePromotionCodeId
  const { lastDay } = code
  const id = await createPromotionCode(deps, {
    ...code,
    endsAt: lastDay === null ? null : new Date(Date.parse(lastDay) + DAY_MS),
    product: await ensureProduct(deps, trader),
  })
  await storePromotionCode(deps.db, code, id)
  return id
}

/** Closes an ended code at Stripe, where it ever was there. @throws what Stripe throws */
export async function closePromotionCode(
  deps: BillingDeps,
  key: { traderId: string; id: string },
): Promise<void> {
  const id = await findEndedPromotionCode(deps.db, key)
  if (id !== null) await endPromotionCode(deps, id)
}
