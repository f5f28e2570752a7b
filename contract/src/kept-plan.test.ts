import { expect, test } from 'vitest'
import type { HoldLength } from './hold-length.ts'
import { isPastPlan, publicAt } from './kept-plan.ts'

const openedAt = new Date('2026-03-04T15:00:00.000Z')

// Days of 24 hours, regardless of the calendar and of a change of clocks between.
test.each([
  ['less_than_one_week', '2026-03-12T15:00:00.000Z'],
  ['one_to_three_weeks', '2026-03-26T15:00:00.000Z'],
  ['one_to_three_months', '2026-06-05T15:00:00.000Z'],
  ['three_to_six_months', '2026-09-05T15:00:00.000Z'],
  ['more_than_six_months', '2027-03-05T15:00:00.000Z'],
] as const)(
  'a position of %s that was opened on 2026-03-04 15:00 is past its plan from %s on',
  (holdLength, at) => {
    const position = { holdLength, openedAt }
    expect(publicAt(position)).toEqual(new Date(at))
    expect(isPastPlan(position, new Date(at))).toBe(true)
    expect(isPastPlan(position, new Date(Date.parse(at) - 1))).toBe(false)
  },
)

test('six months and more are not over after 365 days, and are after 366', () => {
  const position = { holdLength: 'more_than_six_months', openedAt } as const
  expect(isPastPlan(position, new Date('2027-03-04T15:00:00.000Z'))).toBe(false)
  expect(isPastPlan(position, new Date('2027-03-05T15:00:00.000Z'))).toBe(true)
})

test('no three or six months of the calendar are longer than the plan that names them', () => {
  for (let month = 0; month < 48; month += 1) {
    const opened = new Date(Date.UTC(2024, month, 1, 15))
    const isOver = (holdLength: HoldLength, months: number) =>
      isPastPlan({ holdLength, openedAt: opened }, new Date(Date.UTC(2024, month + months, 1, 15)))
    expect(isOver('one_to_three_months', 3)).toBe(false)
    expect(isOver('three_to_six_months', 6)).toBe(false)
  }
})
