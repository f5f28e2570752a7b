import { refusalMessage } from '@tradepost/contract/errors'
import { formatMoney } from '@tradepost/contract/money'
import { savedByYear, tradersPart } from '@tradepost/contract/price-parts'
import type { OwnPrices } from '@tradepost/contract/subscription-price'
import type { TaxLiable } from '@tradepost/contract/tax'
import {
  type Prices,
  readPrices,
  type TypedPrices,
  usualYear,
  yearBounds,
} from '@tradepost/contract/typed-prices'
import { ApiRefusal, messageOf } from '../../lib/api-refusal.ts'

/** As the form holds them: the text of the year's price waits while nobody can pay by the year. */
export type PriceTexts = { monthly: string; yearly: string; offersYear: boolean }

/** Prices as they are typed: `12.50`; the year's price is left empty where it is the usual one. */
export function textsOf({ currency, monthlyCents, yearlyCents }: OwnPrices): PriceTexts {
  const text = (cents: number) => formatMoney(cents, currency).replaceAll(/[^\d.]/g, '')
  const isUsual = yearlyCents === null || yearlyCents === usualYear(monthlyCents)
  return {
    monthly: text(monthlyCents),
    yearly: isUsual ? '' : text(yearlyCents),
    offersYear: yearlyCents !== null,
  }
}

/** As the call takes them. */
export function typedOf({ monthly, offersYear, yearly }: PriceTexts): TypedPrices {
  return { monthly: monthly.trim(), yearly: offersYear ? yearly.trim() : null }
}

/** The field of a sentence that says what is wrong; `form` where it speaks of none. */
export type SaidOf = { field: keyof TypedPrices | 'form'; sentence: string }

/** The fault of what is typed, in the contract's sentence; null where it may be saved. */
export function faultOf(texts: PriceTexts, { currency, ...bounds }: OwnPrices): SaidOf | null {
  const read = readPrices(typedOf(texts), currency, bounds)
  if ('prices' in read) return null
  const { code, field, ...words } = read.fault
  return { field, sentence: refusalMessage(code, { currency: currency.toUpperCase(), ...words }) }
}

/** The server's refusal, at the field that it speaks of. */
export function refusalOf(error: unknown): SaidOf {
  const code = error instanceof ApiRefusal ? error.code : ''
  const isOfYear = code === 'yearly_out_of_bounds'
  const isOfMonth = ['price_invalid', 'price_currency', 'price_out_of_bounds'].includes(code)
  return { field: isOfYear ? 'yearly' : isOfMonth ? 'monthly' : 'form', sentence: messageOf(error) }
}

/** The bounds of a month. */
export function monthHint({ currency, maxCents, minCents }: OwnPrices): string {
  return `From ${formatMoney(minCents, currency)} to ${formatMoney(maxCents, currency)}.`
}

/** The bounds of a year beside what is typed for a month, what it costs where nothing is typed, and what it saves. */
export function yearHint(texts: PriceTexts, { currency, ...bounds }: OwnPrices): string {
  const month = readPrices({ monthly: texts.monthly, yearly: null }, currency, bounds)
  if ('fault' in month) return 'Left empty, it is the price of ten months.'
  const { monthlyCents } = month.prices
  const of = yearBounds(monthlyCents)
  const money = (cents: number) => formatMoney(cents, currency)
  const range = `From ${money(of.minCents)} to ${money(of.maxCents)}.`
  const year = readPrices(typedOf({ ...texts, offersYear: true }), currency, bounds)
  if ('fault' in year || year.prices.yearlyCents === null) return range
  const saved = savedByYear(year.prices)
  const saves = saved === null ? 'nothing' : `${saved.percent} %`
  const isEmpty = texts.yearly.trim() === ''
  const subject = isEmpty ? `Left empty, it is ${money(year.prices.yearlyCents)} and` : 'This'
  return `${range} ${subject} saves ${saves} against twelve months.`
}

/** The usual price of a year beside what is typed for a month, as it would be typed; empty while that cannot be read. */
export function yearPlaceholder(texts: PriceTexts, prices: OwnPrices): string {
  const { currency, ...bounds } = prices
  const month = readPrices({ monthly: texts.monthly, yearly: null }, currency, bounds)
  if ('fault' in month) return ''
  const { monthlyCents } = month.prices
  return textsOf({ ...prices, monthlyCents: usualYear(monthlyCents), yearlyCents: null }).monthly
}

/** The price includes the tax, which differs with where a follower lives. */
const TAX_OF_TRADER: Record<TaxLiable, string> = {
  platform:
    'Where a follower owes a tax, it stands in the price and your part is smaller: Tradepost withholds it, and you get your part of the rest.',
  trader:
    'Where a follower owes a tax, it stands in the price: it comes to you, yours to pay to the authorities, and only the rest is income, of which the fee is taken.',
}

/** The trader's part of each payment. @param prices null while what is typed cannot be read @param liable for the tax; none where none is computed */
export function partText(
  prices: Prices | null,
  currency: string,
  feePercent: number,
  liable?: TaxLiable | undefined,
): string {
  const keeps = `Tradepost keeps ${feePercent} %`
  const tax = liable ? ` ${TAX_OF_TRADER[liable]}` : ''
  if (prices === null) return `${keeps} of each payment; the rest is yours.${tax}`
  const part = (cents: number) => formatMoney(tradersPart(cents, feePercent), currency)
  const year = prices.yearlyCents === null ? '' : `, and ${part(prices.yearlyCents)} of each year`
  return `You get ${part(prices.monthlyCents)} of each month${year}. ${keeps}.${tax}`
}
