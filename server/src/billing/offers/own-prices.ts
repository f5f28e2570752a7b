import type { OwnPrices } from '@tradepost/contract/subscription-price'
import type { TrialDays } from '@tradepost/contract/trial'
import { readPrices, type TypedPrices } from '@tradepost/contract/typed-prices'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import type { Caller } from '../../platform/http/register-endpoints.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import type { Settings } from '../../platform/settings.ts'
import { enqueue } from '../../work/jobs.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import { isReady } from '../payouts/payout-status.ts'
import {
  countFollowersBelow,
  findNamedPrices,
  lockPrices,
  type NamedPrices,
  putNamedPrices,
} from '../prices/own-prices.queries.ts'
import { pricesChanged } from '../prices/prices.jobs.ts'
import { type PriceSettings, pricesOf, trialDaysOf } from '../prices/prices-of.ts'

type OfferSettings = PriceSettings & Pick<Settings, 'priceBounds'>

/** A price that turns each minute leads nobody, and mails everybody who follows. */
const CHANGES_A_DAY = 10
const DAY_SECONDS = 86_400
/** From the last change until followers are mailed of it: a typing error that is mended meanwhile mails nobody. */
const NOTIFY_AFTER_MS = 3_600_000

export async function readOwnPrices(
  { db, settings }: { db: Queryable; settings: OfferSettings },
  caller: Caller,
): Promise<OwnPrices> {
  return presentOwn(db, caller, await findNamedPrices(db, caller.userId), settings)
}

async function presentOwn(
  db: Queryable,
  { userId }: Caller,
  named: NamedPrices | null,
  settings: OfferSettings,
): Promise<OwnPrices> {
  const currency = settings.subscriptionCurrency
  const isDefault = named?.currency !== currency
  return {
    ...pricesOf(named, settings),
    currency,
    isDefault,
    trialDays: trialDaysOf(named, settings),
    ...settings.priceBounds,
    ...(!isDefault && (await countFollowersBelow(db, userId))),
  }
}

/** As it is typed, or left out. */
type Typed = { [Field in keyof TypedPrices]?: TypedPrices[Field] | undefined }

/**
 * Names the caller's prices. They count for subscriptions from now on; checkouts that wait at others are ended behind the answer, and
 * whoever follows already has them by rule G-122. An hour after the last change followers are mailed.
 * Safe to repeat: the same prices change nothing and count for no limit.
 * @param typed prices; those of before stay where they are left out
 * @param trialDays free days that new followers are offered; null for none, and as before where it is left out
 * @throws onboarding_incomplete, price_currency, price_invalid, price_out_of_bounds, yearly_out_of_bounds, too_many_price_changes
 */
export async function setOwnPrices(
  { db, settings }: { db: Queryable; settings: OfferSettings },
  caller: Caller,
  { currency, trialDays, ...typed }: Typed & { currency: string; trialDays?: TrialDays | null | undefined },
  now: Date,
): Promise<OwnPrices> {
  const judged = judge(typed, currency, settings)
  return withTransaction(db, async (tx) => {
    await lockPrices(tx, caller.userId, 'update')
    if (!isReady(await findPayoutAccount(tx, caller.userId))) throw refusal('onboarding_incomplete')
    const before = await findNamedPrices(tx, caller.userId)
    const prices = judged ?? { ...pricesOf(before, settings), currency: settings.subscriptionCurrency }
    const wanted = { ...prices, trialDays: trialDays === undefined ? (before?.trialDays ?? null) : trialDays }
    if (before && isSame(before, wanted)) return presentOwn(tx, caller, before, settings)
    const limit = { key: `prices:${caller.userId}`, max: CHANGES_A_DAY, windowSeconds: DAY_SECONDS }
    const retryAfterSeconds = await overLimit(tx, limit, now)
    if (retryAfterSeconds !== null) throw refusal('too_many_price_changes', { retryAfterSeconds })
    const notifyAt = new Date(now.getTime() + NOTIFY_AFTER_MS)
    await putNamedPrices(tx, caller.userId, { ...wanted, notifyAt }, now)
    await enqueue(tx, pricesChanged, { traderId: caller.userId })
    return presentOwn(tx, caller, wanted, settings)
  })
}

/** @returns null where no prices are named @throws as `setOwnPrices` does for what is typed */
function judge(
  { monthly, yearly }: Typed,
  currency: string,
  settings: OfferSettings,
): Omit<NamedPrices, 'trialDays'> | null {
  const own = settings.subscriptionCurrency
  const inCurrency = { currency: own.toUpperCase() }
  if (currency.toLowerCase() !== own) throw refusal('price_currency', inCurrency)
  if (monthly === undefined || yearly === undefined) return null
  const read = readPrices({ monthly, yearly }, own, settings.priceBounds)
  if ('prices' in read) return { ...read.prices, currency: own }
  throw refusal(read.fault.code, { ...inCurrency, ...read.fault })
}

const isSame = (one: NamedPrices, other: NamedPrices) =>
  one.monthlyCents === other.monthlyCents &&
  one.yearlyCents === other.yearlyCents &&
  one.currency === other.currency &&
  one.trialDays === other.trialDays
