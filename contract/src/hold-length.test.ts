import { expect, test } from 'vitest'
import { daysOverPlan, type HoldLength } from './hold-length.ts'

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
