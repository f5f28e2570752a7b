import { expect, test } from 'vitest'
import { lastTradeWords } from './price-field.tsx'

/** Checked on July 3, 2026, at 09:30:00 UTC. */
const checked = {
  price: '100',
  key: 'k',
  symbol: 'AAPL',
  expiresAt: '2026-07-03T09:32:00.000Z',
  expiresInSeconds: 120,
}

test.each([
  ['2026-07-03T09:28:59.999Z', 'Last trade of AAPL: 09:28 UTC'],
  ['2026-07-03T00:00:00.000Z', 'Last trade of AAPL: 00:00 UTC'],
  ['2026-07-02T23:59:59.999Z', 'Last trade of AAPL: Jul 2, 23:59 UTC'],
  ['2026-07-02T20:00:00.000Z', 'Last trade of AAPL: Jul 2, 20:00 UTC'],
  ['2026-07-03T09:29:00.000Z', null],
  ['2026-07-03T09:29:59.000Z', null],
  ['2026-07-03T09:31:00.000Z', null],
])('a price of a trade at %s, checked at 09:30 on July 3, is worded %j', (tradedAt, words) => {
  expect(lastTradeWords({ ...checked, tradedAt })).toBe(words)
})

test.each([
  ['symbol', { symbol: undefined }],
  ['time of its trade', { tradedAt: undefined }],
  ['usable time of its trade', { tradedAt: 'yesterday' }],
  ['end', { expiresAt: undefined }],
  ['seconds', { expiresInSeconds: undefined }],
])('without a %s in the answer nothing is shown', (_, part) => {
  expect(lastTradeWords({ ...checked, tradedAt: '2026-07-02T20:00:00.000Z', ...part })).toBeNull()
})
