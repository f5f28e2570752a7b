import { expect, test } from 'vitest'
import { shareOfTrader } from './settle-debts.ts'

test.each([
  [1000, 100, 1000, 900],
  [1000, 100, 995, 895],
  [1000, 100, 994, 895],
  [1005, 101, 1005, 904],
  [999, 100, 500, 450],
  [1000, 0, 333, 333],
])(
  'of %i cents with a fee of %i, of which %i were disputed, the trader had %i',
  (paidCents, feeCents, disputed, share) => {
    expect(shareOfTrader({ paidCents, feeCents }, disputed)).toBe(share)
  },
)
