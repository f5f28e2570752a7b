import { formatPrice } from '@tradepost/contract/gain'
import type { HistoryEntry } from '@tradepost/contract/position-history'
import { formatTime } from './format.ts'

/** An entry in words, and what explains it; null where nothing has to. */
export type HistoryWords = { what: string; why: string | null }

/** The history of a position in words: a line for each entry. Prices that look alike get more decimals. */
export function historyWords(history: readonly HistoryEntry[]): HistoryWords[] {
  const all = history.flatMap(pricesOf)
  const money = (price: number) => formatPrice(price, ...all)
  return history.map((entry) => wordsOf(entry, money))
}

function pricesOf(entry: HistoryEntry): number[] {
  const price = 'price' in entry && entry.price !== undefined ? [entry.price] : []
  return 'priceBefore' in entry ? [entry.priceBefore, ...price] : price
}

function wordsOf(entry: HistoryEntry, money: (price: number) => string): HistoryWords {
  switch (entry.kind) {
    case 'opened':
      return { what: `Opened at ${money(entry.price)}`, why: null }
    case 'closed':
      return closeWords(entry, money)
    case 'settled':
      return settlementWords(entry, money)
    case 'split': {
      const { newShares, oldShares } = entry
      const ratio = newShares && oldShares ? ` ${newShares} for ${oldShares}` : ''
      return {
        what: `Split${ratio}: open price ${money(entry.price)} in new shares, ${money(entry.priceBefore)} before`,
        why: 'Nothing was bought or sold.',
      }
    }
    case 'corrected': {
      const name = entry.end === 'open' ? 'Open' : 'Close'
      return {
        what: `${name} price set right by Tradepost: ${money(entry.price)}, ${money(entry.priceBefore)} before`,
        why: entry.reason,
      }
    }
    case 'renamed':
      return { what: `New ticker: ${entry.symbolAfter}, ${entry.symbolBefore} before`, why: null }
    case 'struck':
      return { what: 'Struck by Tradepost: it counts nowhere', why: entry.reason }
  }
}

type Of<Kind extends HistoryEntry['kind']> = Extract<HistoryEntry, { kind: Kind }>

function closeWords(
  { by, price, settled, tradedAt }: Of<'closed'>,
  money: (price: number) => string,
): HistoryWords {
  const closed = by === 'operator' ? 'Closed by Tradepost at' : 'Closed at'
  if (settled !== false)
    return { what: price === undefined ? 'Closed' : `${closed} ${money(price)}`, why: null }
  return {
    what: price === undefined ? `${closed} the last price` : `${closed} the last price, ${money(price)}`,
    why: tradedAt === undefined ? null : `Last trade: ${formatTime(tradedAt)}`,
  }
}

const SETTLED_BY = {
  trade: 'by the first trade after the close',
  last_price: 'by the last price: there was no trade for ten session days',
  operator: 'by Tradepost',
} as const

function settlementWords({ by, price }: Of<'settled'>, money: (price: number) => string): HistoryWords {
  return { what: `Settled at ${money(price)}, ${SETTLED_BY[by]}`, why: null }
}
