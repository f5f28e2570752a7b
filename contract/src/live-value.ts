import Big from 'big.js'
import { type Decimal, percentageGain } from './gain.ts'
import type { Mark } from './marks.ts'

/**
 * The gain of an active position so far, by the rule of its close (docs/specification.md section 5).
 * @param price US dollars, of the mark; null where there is none
 * @returns percent, decimal text; null where there is no price
 */
export function gainSoFar(openPrice: Decimal, price: Decimal | null): string | null {
  return price === null ? null : percentageGain(openPrice, price)
}

type Held = { id: string; stock: string; openPrice: Decimal }

/** The gain of a position by a mark of its symbol, or undefined without one; percent, decimal text, whole where a mark has gains alone. */
export function gainByMark({ id, openPrice }: Held, mark: Mark | undefined): string | null {
  const whole = mark?.gains?.[id]
  return whole === undefined ? gainSoFar(openPrice, mark?.price ?? null) : String(whole)
}

type StockGain = { stock: string; gain: string }

/** Gains are percent, decimal text. */
export type OpenSummary = {
  open: number
  /** Positions with a price; the figures are theirs. */
  priced: number
  /** Of unrounded gains, unless they come whole (rule G-24); null where nothing has a price. */
  mean: string | null
  /** Null for fewer than two with a price. */
  best: StockGain | null
  worst: StockGain | null
}

/** Active positions together: how many, and what they have gained so far; the last price of a symbol that is gone counts. */
export function summariseOpen(held: readonly Held[], marks: ReadonlyMap<string, Mark>): OpenSummary {
  const gains = held.flatMap((position) => {
    const { stock } = position
    const gain = gainByMark(position, marks.get(stock))
    return gain === null ? [] : [{ stock, gain }]
  })
  gains.sort((a, b) => new Big(b.gain).cmp(a.gain))
  const sum = gains.reduce((total, { gain }) => total.plus(gain), new Big(0))
  const several = gains.length > 1
  return {
    open: held.length,
    priced: gains.length,
    mean: gains.length === 0 ? null : sum.div(gains.length).toFixed(),
    best: several ? (gains[0] ?? null) : null,
    worst: several ? (gains.at(-1) ?? null) : null,
  }
}
