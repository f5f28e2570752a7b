import type { HistoryEntry } from '@tradepost/contract/position-history'
import { expect, test } from 'vitest'
import { historyWords } from './position-history-words.ts'

const AT = '2026-11-18T15:00:00.000Z'
const opened = { kind: 'opened', at: AT, price: 100 } as const

test.each<[string, HistoryEntry, string, string | null]>([
  ['an opening', opened, 'Opened at $100.00', null],
  ['a close', { kind: 'closed', at: AT, by: 'trader', price: 110 }, 'Closed at $110.00', null],
  [
    'a close of a share that is gone',
    { kind: 'closed', at: AT, by: 'operator', price: 12.5 },
    'Closed by Tradepost at $12.50',
    null,
  ],
  [
    'an unsettled close',
    { kind: 'closed', at: AT, by: 'trader', price: 110, settled: false },
    'Closed at the last price, $110.00',
    null,
  ],
  [
    'an unsettled close that has its price since',
    { kind: 'closed', at: AT, by: 'trader', settled: false },
    'Closed at the last price',
    null,
  ],
  [
    'a settlement at the first trade',
    { kind: 'settled', at: AT, price: 92, by: 'trade' },
    'Settled at $92.00, by the first trade after the close',
    null,
  ],
  [
    'a settlement without a trade',
    { kind: 'settled', at: AT, price: 110, by: 'last_price' },
    'Settled at $110.00, by the last price: there was no trade for ten session days',
    null,
  ],
  [
    'a settlement by the operator',
    { kind: 'settled', at: AT, price: 12.5, by: 'operator' },
    'Settled at $12.50, by Tradepost',
    null,
  ],
  [
    'a split',
    { kind: 'split', at: AT, newShares: 10, oldShares: 1, priceBefore: 100, price: 10 },
    'Split 10 for 1: open price $10.00 in new shares, $100.00 before',
    'Nothing was bought or sold.',
  ],
  [
    'an old split',
    { kind: 'split', at: AT, priceBefore: 100, price: 10 },
    'Split: open price $10.00 in new shares, $100.00 before',
    'Nothing was bought or sold.',
  ],
  [
    'a correction',
    { kind: 'corrected', at: AT, end: 'open', priceBefore: 1000, price: 100, reason: 'It was a glitch.' },
    'Open price set right by Tradepost: $100.00, $1000.00 before',
    'It was a glitch.',
  ],
  [
    'a correction of the other end',
    { kind: 'corrected', at: AT, end: 'close', priceBefore: 1000, price: 110, reason: 'It was a glitch.' },
    'Close price set right by Tradepost: $110.00, $1000.00 before',
    'It was a glitch.',
  ],
  [
    'a new ticker',
    { kind: 'renamed', at: AT, symbolBefore: 'FB', symbolAfter: 'META' },
    'New ticker: META, FB before',
    null,
  ],
  [
    'a strike',
    { kind: 'struck', at: AT, reason: 'Nobody could trade there.' },
    'Struck by Tradepost: it counts nowhere',
    'Nobody could trade there.',
  ],
])('%s is put in words', (_, entry, what, why) => {
  expect(historyWords([entry])).toEqual([{ what, why }])
})

test('prices of a history that look alike get more decimals, and an unsettled close names when the last trade was', () => {
  const closed = {
    kind: 'closed',
    at: AT,
    by: 'trader',
    price: 100.001,
    settled: false,
    tradedAt: AT,
  } as const
  expect(historyWords([opened, closed])).toEqual([
    { what: 'Opened at $100.0000', why: null },
    { what: 'Closed at the last price, $100.0010', why: 'Last trade: Nov 18, 2026, 3:00 PM' },
  ])
})
