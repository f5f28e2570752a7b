import { expect, test } from 'vitest'
import { daysOverPlan, type HoldLength, keepsPlan, overPlanBefore } from './hold-length.ts'

const over = (holdLength: HoldLength, openedAt: string, now: string) =>
  daysOverPlan({ holdLength, openedAt: new Date(openedAt) }, new Date(now))

test.each([
  ['less_than_one_week', '2026-03-10T14:59:59.999Z', 0],
  ['less_than_one_week', '2026-03-11T15:00:00.000Z', 0],
  ['less_than_one_week', '2026-03-12T15:00:00.000Z', 1],
  ['less_than_one_week', '2026-03-14T14:59:59.999Z', 2],
  ['one_to_three_weeks', '2026-03-26T14:59:59.999Z', 0],
  ['one_to_three_weeks', '2026-03-26T15:00:00.000Z', 1],
  ['one_to_three_months', '2026-06-05T14:59:59.999Z', 0],
  ['one_to_three_months', '2026-06-05T15:00:00.000Z', 1],
  ['three_to_six_months', '2026-09-05T14:59:59.999Z', 0],
  ['three_to_six_months', '2026-09-05T15:00:00.000Z', 1],
  ['more_than_six_months', '2036-03-04T15:00:00.000Z', 0],
] as const)('%s, opened on 2026-03-04 15:00, is at %s over its plan by %i days', (hold, now, days) => {
  expect(over(hold, '2026-03-04T15:00:00.000Z', now)).toBe(days)
})

test('no three or six months of the calendar are longer than the plan that names them', () => {
  for (let month = 0; month < 48; month += 1) {
    const opened = new Date(Date.UTC(2024, month, 1, 15)).toISOString()
    const later = (months: number) => new Date(Date.UTC(2024, month + months, 1, 15)).toISOString()
    expect(over('one_to_three_months', opened, later(3))).toBe(0)
    expect(over('three_to_six_months', opened, later(6))).toBe(0)
  }
})

test('who was opened at the instant of the plan or before is a day over it, and a length without an end has none', () => {
  const now = new Date('2026-03-12T15:00:00.000Z')
  const before = overPlanBefore(now)
  expect(before).toEqual({
    less_than_one_week: new Date('2026-03-04T15:00:00.000Z'),
    one_to_three_weeks: new Date('2026-02-18T15:00:00.000Z'),
    one_to_three_months: new Date('2025-12-09T15:00:00.000Z'),
    three_to_six_months: new Date('2025-09-08T15:00:00.000Z'),
  })
  for (const [length, openedAt] of Object.entries(before)) {
    const holdLength = length as HoldLength
    expect(daysOverPlan({ holdLength, openedAt }, now)).toBe(1)
    expect(daysOverPlan({ holdLength, openedAt: new Date(openedAt.getTime() + 1) }, now)).toBe(0)
  }
})

// Opened on a Wednesday: the last instant that is kept, and the first that is not.
test.each([
  ['less_than_one_week', '2026-03-10T23:59:59.999Z', '2026-03-11T00:00:00.000Z'],
  ['one_to_three_weeks', '2026-03-20T23:59:59.999Z', '2026-03-23T00:00:00.000Z'],
  ['one_to_three_months', '2026-05-11T23:59:59.999Z', '2026-05-12T00:00:00.000Z'],
  ['three_to_six_months', '2026-08-03T23:59:59.999Z', '2026-08-04T00:00:00.000Z'],
] as const)('a plan of %s is kept until %s', (holdLength, kept, late) => {
  const position = { holdLength, openedAt: new Date('2026-03-04T15:00:00.000Z') }
  expect(keepsPlan(position, new Date(kept))).toBe(true)
  expect(keepsPlan(position, new Date(late))).toBe(false)
})

test('a plan of six months and more is always kept', () => {
  const position = {
    holdLength: 'more_than_six_months',
    openedAt: new Date('2016-03-04T15:00:00.000Z'),
  } as const
  expect(keepsPlan(position, new Date('2026-03-04T15:00:00.000Z'))).toBe(true)
})
