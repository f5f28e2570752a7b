import { expect, test } from 'vitest'
import { daysLeftOf, returnedPart } from './returned-part.ts'

const PAID = { paidCents: 1250, currency: 'usd' }

test('everything is called the whole payment, and where it is the part for the days left that none was used', () => {
  for (const daysLeft of [null, undefined])
    expect(returnedPart({ ...PAID, returnsCents: 1250, daysLeft })).toBe('your whole payment of $12.50')
  expect(returnedPart({ ...PAID, returnsCents: 1250, daysLeft: 31 })).toBe(
    'your whole payment of $12.50, with no day of it used',
  )
  expect(returnedPart({ ...PAID, returnsCents: 1250 }, 'their')).toBe('their whole payment of $12.50')
})

test('a part is called by the days that are left, or by the rest that it is', () => {
  const part = (returnsCents: number, daysLeft?: number | null) =>
    returnedPart({ ...PAID, returnsCents, daysLeft })
  expect(part(1089, 27)).toBe('$10.89 of your payment of $12.50, the part for the 27 days left')
  expect(part(41, 1)).toBe('$0.41 of your payment of $12.50, the part for the day left')
  expect(part(750, null)).toBe('$7.50, all that was left of your payment of $12.50')
  expect(part(1089)).toBe('$10.89 of your payment of $12.50')
})

test('a day that has begun is one that is left, and behind the end there is none', () => {
  const end = new Date('2026-12-26T09:30:00.000Z')
  expect(daysLeftOf(end, new Date('2026-12-25T09:30:00.000Z'))).toBe(1)
  expect(daysLeftOf(end, new Date('2026-12-25T09:29:59.999Z'))).toBe(2)
  expect(daysLeftOf(end, new Date('2026-12-27T09:30:00.000Z'))).toBe(0)
})
