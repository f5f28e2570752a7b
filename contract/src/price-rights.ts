import Big from 'big.js'
import * as z from 'zod/mini'
import { type Decimal, percentageGain } from './gain.ts'

/**
 * Rights of people to see a price of now, as the operator's contract with the price provider allows (rule G-130): prices and gains of now,
 * prices that are at least 15 minutes old, or gains of now in whole percent and no price.
 */
export const PRICE_RIGHTS = ['live', 'delayed', 'percent'] as const
export type PriceRights = (typeof PRICE_RIGHTS)[number]

/** In an answer beside what is less than a price of now; left out where prices are live. */
export const lesserRights = z.optional(z.enum(['delayed', 'percent']))
type LesserRights = z.infer<typeof lesserRights>

/** How old a price has to be that is called late, in ms. */
export const PRICE_DELAY_MS = 15 * 60_000

declare const unheld: unique symbol
/** A price of the market that no act has recorded, decimal text in US dollars. Only `showPrice` makes something of it that can be answered. */
export type MarketPrice = { readonly [unheld]: true }

/** @param price decimal text, US dollars */
export function marketPrice(price: string): MarketPrice {
  return price as unknown as MarketPrice
}

/**
 * Up to when prices are told that were noted for one person, and not recorded for all, as that of when following began: 15 minutes ago. Null
 * where prices are live, and all are told.
 */
export function notedPricesUntil(rights: PriceRights, now: Date): Date | null {
  return rights === 'live' ? null : lateInstant(now)
}

/** The instant whose prices are shown as those of now, 15 minutes ago, where prices are late; else null. */
export function priceInstant(rights: PriceRights, now: Date): Date | null {
  return rights === 'delayed' ? lateInstant(now) : null
}

/** 15 minutes before an instant. */
export function lateInstant(now: Date): Date {
  return new Date(now.getTime() - PRICE_DELAY_MS)
}

/**
 * The part of a price that may be answered. `price`: decimal text, US dollars. `gainOver`: percent, decimal text, of a position with that opening
 * price; in whole percent where gains alone may be shown.
 */
export type ShownPrice = {
  price: string | null
  gainOver(openPrice: Decimal): string | null
  rights: LesserRights
}

/**
 * Holds back what people may not see of a price of now. Every answer takes prices of now from here, but for the checks of somebody
 * who is about to publish. Recorded prices are facts, and shown as they are.
 * @param found the newest price of `priceInstant`, and when it was known; a younger one is held back where prices are late
 */
export function showPrice(
  rights: PriceRights,
  found: { price: MarketPrice; foundAt: Date } | null,
  now: Date,
): ShownPrice {
  const until = priceInstant(rights, now)
  const isHeldBack = until !== null && found !== null && found.foundAt > until
  const price = found === null || isHeldBack ? null : (found.price as unknown as string)
  return {
    price: rights === 'percent' ? null : price,
    gainOver(openPrice) {
      if (price === null) return null
      const gain = percentageGain(openPrice, price)
      return rights === 'percent' ? wholePercent(gain) : gain
    },
    rights: rights === 'live' ? undefined : rights,
  }
}

/** Rounded half away from zero, never "-0". */
export function wholePercent(gain: Decimal): string {
  const whole = new Big(gain).round(0, Big.roundHalfUp)
  return whole.eq(0) ? '0' : whole.toFixed(0)
}
