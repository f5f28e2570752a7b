import { type DiscountAnswer, discountedCents, typedDiscountCode } from '@tradepost/contract/discount-code'
import { readUsername } from '@tradepost/contract/typed-name'
import { isUsername } from '@tradepost/contract/username'
import { findByUsername, isInactive } from '../../accounts/accounts.queries.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { takeFromLimit } from '../../platform/rate-limit.ts'
import type { Settings } from '../../platform/settings.ts'
import type { Pair } from '../../stripe/subscriptions.ts'
import { findNamedPrices } from '../prices/own-prices.queries.ts'
import { type PriceSettings, pricesOf } from '../prices/prices-of.ts'
import { findCode, hasUsed, type StoredCode } from './discount-codes.queries.ts'

/** Somebody who types a code that they have been given types it a few times; a program that guesses asks more. */
const LOOKS = { max: 30, windowSeconds: 3600 }

/** Whether a code can still be used: its last day, in UTC, is not over, and neither are its uses. */
export function isLiveCode(
  { lastDay, maxUses, uses }: Pick<StoredCode, 'lastDay' | 'maxUses' | 'uses'>,
  now: Date,
): boolean {
  return (
    (lastDay === null || lastDay >= now.toISOString().slice(0, 10)) && (maxUses === null || uses < maxUses)
  )
}

/**
 * A code of a trader that a person may use: live, in the currency of today, and not used by them before (rule G-124).
 * @param typed as a person types it @throws discount_code_not_found
 */
export async function findDiscount(
  { db, settings }: { db: Queryable; settings: PriceSettings },
  { subscriberId, traderId }: Pair,
  typed: string,
  now: Date,
): Promise<StoredCode> {
  const found = await findCode(db, traderId, typedDiscountCode(typed))
  const isOpen = found?.currency === settings.subscriptionCurrency && isLiveCode(found, now)
  if (!isOpen || (await hasUsed(db, found, subscriberId))) throw refusal('discount_code_not_found')
  return found
}

/**
 * The price of a month with a code, and without it, for a caller who looks before they pay.
 * @throws user_not_found, discount_code_not_found, rate_limited
 */
export async function readDiscount(
  deps: { db: Queryable; settings: PriceSettings & Pick<Settings, 'limitsOn'> },
  caller: Caller,
  { code, username }: { username: string; code: string },
  now: Date,
): Promise<DiscountAnswer> {
  const { db, settings } = deps
  if (settings.limitsOn) await takeFromLimit(db, { key: `discounts:${caller.userId}`, ...LOOKS }, now)
  const name = readUsername(username)
  const trader = isUsername(name) ? await findByUsername(db, name) : null
  if (!trader || (await isInactive(db, trader.userId))) throw refusal('user_not_found')
  const pair = { traderId: trader.userId, subscriberId: caller.userId }
  const found = await findDiscount(deps, pair, code, now)
  const { monthlyCents } = pricesOf(await findNamedPrices(db, trader.userId), settings)
  return {
    code: found.code,
    percentOff: found.percentOff,
    amountOffCents: found.amountOffCents,
    currency: found.currency,
    months: found.months,
    discountedCents: discountedCents(monthlyCents, found),
    priceCents: monthlyCents,
  }
}
