import * as z from 'zod/mini'
import { usernameText } from './accounts.ts'
import { limited } from './limited.ts'
import { UUID_LENGTH } from './limits.ts'
import { formatMoney } from './money.ts'
import { seenText } from './seen-text.ts'
import { type PriceBounds, readAmount } from './typed-prices.ts'

/** Live ones of a trader. */
export const DISCOUNT_CODES_MAX_COUNT = 10
const CODE = /^[A-Z0-9]{3,20}$/
const CODE_MAX_LENGTH = 40
const OFF_MAX_LENGTH = 20
const PERCENT_MIN = 1
const PERCENT_MAX = 90
const USES_MAX = 10_000
const LAST_DAY_WITHIN_DAYS = 366
const DAY_MS = 86_400_000

/** For how many months a code takes something off: the first, three, or null for all. */
const DISCOUNT_MONTHS = [1, 3] as const
export type DiscountMonths = (typeof DISCOUNT_MONTHS)[number] | null

/** One of the two is not null; the amount in the currency's smallest unit. */
export type Discount = { percentOff: number | null; amountOffCents: number | null }

/** A code as a trader types it. `off` as `20 %` or `5.00`; `lastDay` in UTC, as `2026-12-31`. */
export type TypedDiscountCode = {
  code: string
  off: string
  months: DiscountMonths
  maxUses: number | null
  lastDay: string | null
}
export type DiscountCode = Discount & Pick<TypedDiscountCode, 'code' | 'months' | 'maxUses' | 'lastDay'>

export type DiscountFault =
  | {
      code:
        | 'discount_code_invalid'
        | 'discount_invalid'
        | 'discount_uses'
        | 'discount_last_day'
        | 'price_currency'
    }
  | { code: 'discount_too_large'; from: string }

/**
 * Reads a code and its discount as a trader types them, and judges them (rule G-124): so much is left of a month's price that a card can be
 * charged.
 * @param prices.monthlyCents of the trader, in the smallest unit of `currency`
 */
export function readDiscountCode(
  typed: TypedDiscountCode,
  { bounds, currency, monthlyCents }: { bounds: PriceBounds; currency: string; monthlyCents: number },
  now: Date,
): { discountCode: DiscountCode } | { fault: DiscountFault } {
  const code = typedDiscountCode(typed.code)
  if (!CODE.test(code)) return { fault: { code: 'discount_code_invalid' } }
  const discount = readDiscount(typed.off, currency)
  if (typeof discount === 'string') return { fault: { code: discount } }
  const least = leastLeft(bounds)
  if (discountedCents(monthlyCents, discount) < least)
    return { fault: { code: 'discount_too_large', from: formatMoney(least, currency) } }
  const { lastDay, maxUses, months } = typed
  if (maxUses !== null && !(Number.isInteger(maxUses) && maxUses >= 1 && maxUses <= USES_MAX))
    return { fault: { code: 'discount_uses' } }
  if (lastDay !== null && !isDayAhead(lastDay, now)) return { fault: { code: 'discount_last_day' } }
  return { discountCode: { code, ...discount, months, maxUses, lastDay } }
}

/** A code as a person types or pastes it, in the one way in which it is kept. */
export function typedDiscountCode(typed: string): string {
  return seenText(typed).replaceAll(/[\s-]/g, '').toUpperCase()
}

/** A percentage is whole and from 1 to 90. */
function readDiscount(typed: string, currency: string): Discount | 'discount_invalid' | 'price_currency' {
  const percent = /^(?<whole>\d{1,2}) ?%$/.exec(seenText(typed))?.groups?.whole
  if (percent !== undefined) {
    const percentOff = Number(percent)
    if (percentOff < PERCENT_MIN || percentOff > PERCENT_MAX) return 'discount_invalid'
    return { percentOff, amountOffCents: null }
  }
  const amountOffCents = readAmount(typed, currency)
  if (amountOffCents === 'price_currency') return amountOffCents
  if (typeof amountOffCents === 'string' || amountOffCents === 0) return 'discount_invalid'
  return { percentOff: null, amountOffCents }
}

/** At least a third of the lowest price is left, so that every card can be charged. */
function leastLeft({ minCents }: PriceBounds): number {
  return Math.ceil(minCents / 3)
}

/**
 * A price with a discount taken off, in the currency's smallest unit, never below zero: a percentage is rounded to it, half of one away from
 * zero, as Stripe does it.
 */
export function discountedCents(priceCents: number, { amountOffCents, percentOff }: Discount): number {
  const off = amountOffCents ?? Math.floor((priceCents * (percentOff ?? 0) + 50) / 100)
  return Math.max(0, priceCents - off)
}

/** Whether a day in UTC is one of the calendar, and today or at most a year ahead. */
function isDayAhead(day: string, now: Date): boolean {
  const at = new Date(`${day}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(at.getTime())) return false
  if (at.toISOString().slice(0, 10) !== day) return false
  const today = Date.parse(now.toISOString().slice(0, 10))
  return at.getTime() >= today && at.getTime() <= today + LAST_DAY_WITHIN_DAYS * DAY_MS
}

/** A discount in words: `20 % off the first month`, `$5.00 off each month`. @param currency of the amount */
export function discountText(
  { amountOffCents, months, percentOff }: Discount & { months: number | null },
  currency: string,
): string {
  const off = percentOff === null ? formatMoney(amountOffCents ?? 0, currency) : `${percentOff} %`
  if (months === null) return `${off} off each month`
  return months === 1 ? `${off} off the first month` : `${off} off the first ${months} months`
}

const discountFields = {
  code: z.string(),
  /** Whole percent; null where an amount is taken off. */
  percentOff: z.nullable(z.int()),
  /** In the smallest unit of `currency`. */
  amountOffCents: z.nullable(z.int()),
  currency: z.string(),
  /** For how many months; null for always. */
  months: z.nullable(z.int()),
}

const ownDiscountCode = z.object({
  ...discountFields,
  id: z.string(),
  /** Subscriptions that began with it. */
  uses: z.int(),
  maxUses: z.nullable(z.int()),
  /** In UTC, as `2026-12-31`; null for none. */
  lastDay: z.nullable(z.string()),
})
export type OwnDiscountCode = z.infer<typeof ownDiscountCode>

/** A trader's live codes, the newest first (rule G-124). */
export const ownDiscountCodes = z.object({ codes: z.array(ownDiscountCode) })

export const discountCodePayload = z.object({
  code: limited(z.string(), { maxLength: CODE_MAX_LENGTH }),
  off: limited(z.string(), { description: '`20 %`, or an amount as `5.00`.', maxLength: OFF_MAX_LENGTH }),
  /** Null for always. */
  months: z.nullable(z.literal(DISCOUNT_MONTHS)),
  maxUses: z.nullable(z.int()),
  lastDay: z.nullable(
    limited(z.string(), { description: 'In UTC, as `2026-12-31`.', maxLength: OFF_MAX_LENGTH }),
  ),
  currency: limited(z.string(), { description: 'Three letters, as `usd`.', maxLength: OFF_MAX_LENGTH }),
})

export const discountCodeParams = z.object({
  id: limited(z.uuid(), { minLength: UUID_LENGTH, maxLength: UUID_LENGTH }),
})
export const discountParams = z.object({
  username: usernameText,
  code: limited(z.string(), { maxLength: CODE_MAX_LENGTH }),
})

/** The discount of a code, for somebody who could use it: the price of a month while it holds, and the one after. */
export const discountAnswer = z.object({
  ...discountFields,
  /** While it holds, in the smallest unit of `currency`. */
  discountedCents: z.int(),
  priceCents: z.int(),
})
export type DiscountAnswer = z.infer<typeof discountAnswer>
