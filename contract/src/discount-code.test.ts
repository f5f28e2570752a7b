import { expect, test } from 'vitest'
import { discountedCents, discountText, readDiscountCode, typedDiscountCode } from './discount-code.ts'
import { refusalMessage } from './errors.ts'

const NOW = new Date('2026-11-18T15:00:00Z')
const TERMS = { bounds: { minCents: 300, maxCents: 50_000 }, currency: 'usd', monthlyCents: 1250 }
const TYPED = { code: 'spring', off: '20 %', months: 3, maxUses: null, lastDay: null } as const
const read = (typed: object) => {
  const found = readDiscountCode({ ...TYPED, ...typed }, TERMS, NOW)
  if ('discountCode' in found) return found.discountCode
  return refusalMessage(found.fault.code, { currency: 'USD', ...found.fault })
}

test.each([
  ['20 %', { percentOff: 20, amountOffCents: null }],
  ['90%', { percentOff: 90, amountOffCents: null }],
  ['5', { percentOff: null, amountOffCents: 500 }],
  ['$2.50', { percentOff: null, amountOffCents: 250 }],
  ['11.50', { percentOff: null, amountOffCents: 1150 }],
])('a discount of %j is read', (off, discount) => {
  expect(read({ off })).toMatchObject(discount)
})

test.each([
  [{ off: '' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '0' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '-5' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '0 %' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '91 %' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '12.5 %' }, 'Type a discount such as 20 %, at most 90 %, or 5.00.'],
  [{ off: '€5' }, 'Prices are in USD here.'],
  [{ off: '11.51' }, 'At least $1.00 of your price must be left.'],
  [{ off: '500' }, 'At least $1.00 of your price must be left.'],
  [{ code: 'ab' }, 'Use 3 to 20 letters and numbers.'],
  [{ code: 'spring!' }, 'Use 3 to 20 letters and numbers.'],
  [{ code: 'a'.repeat(21) }, 'Use 3 to 20 letters and numbers.'],
  [{ code: 'frühling' }, 'Use 3 to 20 letters and numbers.'],
  [{ maxUses: 0 }, 'Choose from 1 to 10000 uses.'],
  [{ maxUses: 10_001 }, 'Choose from 1 to 10000 uses.'],
  [{ maxUses: 1.5 }, 'Choose from 1 to 10000 uses.'],
  [{ lastDay: '2026-11-17' }, 'Choose a day from today to a year from now.'],
  [{ lastDay: '2027-11-20' }, 'Choose a day from today to a year from now.'],
  [{ lastDay: '2027-02-29' }, 'Choose a day from today to a year from now.'],
  [{ lastDay: 'tomorrow' }, 'Choose a day from today to a year from now.'],
])('%j is refused in one sentence', (typed, sentence) => {
  expect(read(typed)).toBe(sentence)
})

test('today and a year from now are days that a code can end on', () => {
  expect(read({ lastDay: '2026-11-18' })).toMatchObject({ lastDay: '2026-11-18' })
  expect(read({ lastDay: '2027-11-18' })).toMatchObject({ lastDay: '2027-11-18' })
})

test('a code is one however it is typed', () => {
  expect(['Spring 24', ' spring-24', 'ＳＰＲＩＮＧ24'].map(typedDiscountCode)).toEqual([
    'SPRING24',
    'SPRING24',
    'SPRING24',
  ])
})

test.each([
  [1250, { percentOff: 20, amountOffCents: null }, 1000],
  [1255, { percentOff: 10, amountOffCents: null }, 1129],
  [1254, { percentOff: 10, amountOffCents: null }, 1129],
  [3490, { percentOff: 15, amountOffCents: null }, 2966],
  [1250, { percentOff: null, amountOffCents: 250 }, 1000],
  [200, { percentOff: null, amountOffCents: 250 }, 0],
])('of %i cents %j leaves %i', (cents, discount, left) => {
  expect(discountedCents(cents, discount)).toBe(left)
})

test('a discount is said in words', () => {
  const of = (percentOff: number | null, months: number | null) =>
    discountText({ percentOff, amountOffCents: percentOff === null ? 250 : null, months }, 'usd')
  expect([of(20, 1), of(null, 3), of(20, null)]).toEqual([
    '20 % off the first month',
    '$2.50 off the first 3 months',
    '20 % off each month',
  ])
})
