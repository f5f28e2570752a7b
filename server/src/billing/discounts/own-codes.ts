import {
  DISCOUNT_CODES_MAX_COUNT,
  type OwnDiscountCode,
  readDiscountCode,
  type TypedDiscountCode,
} from '@tradepost/contract/discount-code'
import { isUniqueViolation } from '../../platform/database/database-errors.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { newId } from '../../platform/ids.ts'
import type { Settings } from '../../platform/settings.ts'
import { enqueue } from '../../work/jobs.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady } from '../payouts/payout-status.ts'
import { findNamedPrices, lockPrices } from '../prices/own-prices.queries.ts'
import { type PriceSettings, pricesOf } from '../prices/prices-of.ts'
import { endCode, insertCode, listCodes, type StoredCode } from './discount-codes.queries.ts'
import { discountCodeEnded } from './discounts.jobs.ts'
import { isLiveCode } from './find-discount.ts'

type Deps = { db: Queryable; settings: PriceSettings & Pick<Settings, 'priceBounds'> }
type Own = { codes: OwnDiscountCode[] }

/** The caller's live codes. */
export async function readOwnCodes({ db }: Deps, caller: Caller, now: Date): Promise<Own> {
  const codes = await listCodes(db, caller.userId)
  return { codes: codes.filter((code) => isLiveCode(code, now)).map(present) }
}

function present({ stripePromotionCodeId, traderId, ...code }: StoredCode): OwnDiscountCode {
  return code
}

/**
 * Adds a code of the caller's, for their followers of tomorrow.
 * @returns the live codes with it
 * @throws onboarding_incomplete, price_currency, discount_code_invalid, discount_invalid, discount_too_large, discount_uses,
 * discount_last_day, discount_code_taken, too_many_discount_codes
 */
export async function addCode(
  deps: Deps,
  caller: Caller,
  { currency, ...typed }: TypedDiscountCode & { currency: string },
  now: Date,
): Promise<Own> {
  const { settings } = deps
  const own = settings.subscriptionCurrency
  if (currency.toLowerCase() !== own) throw refusal('price_currency', { currency: own.toUpperCase() })
  try {
    return await withTransaction(deps.db, async (db) => {
      await lockPrices(db, caller.userId, 'update')
      if (!isReady(await findPayoutAccount(db, caller.userId))) throw refusal('onboarding_incomplete')
      const { monthlyCents } = pricesOf(await findNamedPrices(db, caller.userId), settings)
      const read = readDiscountCode(typed, { bounds: settings.priceBounds, currency: own, monthlyCents }, now)
      if ('fault' in read) throw refusal(read.fault.code, { currency: own.toUpperCase(), ...read.fault })
      await makeRoom(db, caller, read.discountCode.code, now)
      const key = { traderId: caller.userId, id: newId() }
      await insertCode(db, key, { ...read.discountCode, currency: own }, now)
      return readOwnCodes({ db, settings }, caller, now)
    })
  } catch (error) {
    if (isUniqueViolation(error, 'discount_codes_of_one_name')) throw refusal('discount_code_taken')
    throw error
  }
}

/** Ends the code of that name where it is over by its day or its uses. @throws too_many_discount_codes */
async function makeRoom(tx: Queryable, caller: Caller, name: string, now: Date): Promise<void> {
  const codes = await listCodes(tx, caller.userId)
  const live = codes.filter((code) => isLiveCode(code, now))
  if (live.length >= DISCOUNT_CODES_MAX_COUNT) throw refusal('too_many_discount_codes')
  const over = codes.find((code) => code.code === name && !live.includes(code))
  if (over) await end(tx, caller, over.id, now)
}

/**
 * Ends a code of the caller's: nobody begins with it any more, and who began with it keeps the discount. Repeating it changes nothing.
 * @throws discount_code_not_found
 */
export async function endOwnCode(deps: Deps, caller: Caller, id: string, now: Date): Promise<Own> {
  await withTransaction(deps.db, async (tx) => {
    await lockPrices(tx, caller.userId, 'update')
    if (!(await end(tx, caller, id, now))) throw refusal('discount_code_not_found')
  })
  return readOwnCodes(deps, caller, now)
}

async function end(tx: Queryable, caller: Caller, id: string, now: Date): Promise<boolean> {
  const key = { traderId: caller.userId, id }
  if (!(await endCode(tx, key, now))) return false
  await enqueue(tx, discountCodeEnded, key)
  return true
}
