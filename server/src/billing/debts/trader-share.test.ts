import { expect, test } from 'vitest'
import { shareOfTrader } from './trader-share.ts'

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
    expect(shareOfTrader({ paidCents, feeCents, tax: null }, disputed)).toBe(share)
  },
)

test.each([
  // A German consumer's 19 %, New York's 8.875 %; the fee is ten percent of the price without them.
  ['platform', 1000, 100, 160, 1000, 756],
  ['trader', 1000, 100, 160, 1000, 916],
  ['platform', 1000, 100, 82, 1000, 826],
  ['trader', 1000, 100, 82, 1000, 908],
  ['platform', 1000, 100, 160, 333, 252],
  ['platform', 1000, 100, 160, 0, 0],
  ['trader', 1000, 100, 160, 0, 0],
  ['platform', 1000, 0, 160, 1000, 840],
  ['platform', 1000, 100, 0, 1000, 900],
] as const)(
  'where the %s owes the tax, of %i cents with a fee of %i and a tax of %i the share of %i is %i',
  (liable, paidCents, feeCents, cents, kept, share) => {
    expect(shareOfTrader({ paidCents, feeCents, tax: { cents, liable } }, kept)).toBe(share)
  },
)
