import { expect, test } from 'vitest'
import { daysOverPlan, type HoldLength } from './hold-length.ts'
import { keepsPlan, overPlanBefore } from './kept-plan.ts'

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
