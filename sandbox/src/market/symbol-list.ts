import { createHash } from 'node:crypto'
import { describeTicker } from './search.ts'
import type { Ticker } from './tickers.ts'

/** An entry of Finnhub's answer to `/api/v1/stock/symbol`. */
export type ListedSymbol = ReturnType<typeof describeTicker> & { currency: 'USD'; figi: string; mic: string }

/** The simulated market is a single exchange, Nasdaq by its ISO 10383 code. */
const MIC = 'XNAS'
/** A FIGI has no vowels, so that it is never a word. */
const FIGI_CHARACTERS = '0123456789BCDFGHJKLMNPQRSTVWXYZ'

export function listSymbols(tickers: readonly Ticker[]): ListedSymbol[] {
  return tickers.map((ticker) => ({
    currency: 'USD',
    ...describeTicker(ticker),
    figi: figiOf(ticker.seed),
    mic: MIC,
  }))
}

/** An invented FIGI, always the same for a text: `BBG`, eight characters, and the check digit of the FIGI standard. */
function figiOf(text: string): string {
  const drawn = [...createHash('sha256').update(text).digest().subarray(0, 8)]
  const body = `BBG${drawn.map((byte) => FIGI_CHARACTERS.charAt(byte % FIGI_CHARACTERS.length)).join('')}`
  return body + checkDigitOf(body)
}

/** Letters count from 10, every second value twice; the digits of all add up, with this one, to a multiple of ten. */
function checkDigitOf(body: string): number {
  const values = [...body].map(
    (character, index) => Number.parseInt(character, 36) * (index % 2 === 0 ? 1 : 2),
  )
  const sum = values.reduce((total, value) => total + Math.floor(value / 10) + (value % 10), 0)
  return (10 - (sum % 10)) % 10
}
