import { expect, test } from 'vitest'
import {
  formatAge,
  formatClock,
  formatDate,
  formatDay,
  formatExactTime,
  formatFrom,
  formatPercent,
  isolated,
} from './format.ts'

test('a gain has two decimals and a percent sign', () => {
  expect(formatPercent('12.345')).toBe('12.35%')
  expect(formatPercent('-10')).toBe('-10.00%')
  expect(formatPercent('-0.001')).toBe('0.00%')
})

test('a date is the viewer’s local one', () => {
  const late = new Date(2026, 10, 21, 23, 59)
  expect(formatDate(late.toISOString())).toBe(
    new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' }).format(late),
  )
  expect(formatDate(late.toISOString())).toContain('21')
})

test('an age is in short, and there is none for less than a minute', () => {
  const now = new Date('2026-11-20T15:00:00.000Z')
  expect(formatAge('2026-11-18T15:00:00.000Z', now)).toBe('2 d')
  expect(formatAge('2026-11-20T10:30:00.000Z', now)).toBe('4 h')
  expect(formatAge('2026-11-20T14:55:00.000Z', now)).toBe('5 min')
  expect(formatAge('2026-11-20T14:59:01.000Z', now)).toBeNull()
})

test('a day has its year where that is not the present one', () => {
  const now = new Date(2026, 10, 21)
  expect(formatDay(new Date(2026, 0, 2).toISOString(), now)).toBe('Jan 2')
  expect(formatDay(new Date(2025, 11, 31).toISOString(), now)).toBe('Dec 31, 2025')
})

test('exact times are those of the viewer and of UTC', () => {
  const late = new Date(2026, 10, 21, 16, 30)
  const [hour = '', minute = ''] = late.toISOString().slice(11).split(':')
  expect(formatClock(late.toISOString()).replace(/\s/g, ' ')).toBe(`4:30 PM, ${hour}:${minute} UTC`)
  expect(formatExactTime(late.toISOString())).toMatch(
    /^Nov 21, 2026, 4:30\s?PM \(Nov 2\d, 2026, \d\d:30 UTC\)$/,
  )
})

test('a date of a script that runs from right to left is isolated, and no other one', () => {
  for (const date of ['٢٤ نوفمبر', '٢٤\u200f/١١\u200f/٢٠٢٦', '24 בנוב׳ 2026', '۳ آذر ۱۴۰۵', '24 نومبر'])
    expect(isolated(date)).toBe(`\u2068${date}\u2069`)
  for (const date of ['Nov 24, 2026', '24. Nov. 2026', '2026年11月24日', '24 нояб. 2026 г.', '4:30\u202fPM'])
    expect(isolated(date)).toBe(date)
})

test('the moment from which on something is possible has its weekday unless that is today’s', () => {
  const now = new Date(2026, 10, 20, 16, 0)
  const later = new Date(2026, 10, 20, 19, 0)
  const monday = new Date(2026, 10, 23, 9, 30)
  const utc = (at: Date) => at.toISOString().slice(11, 16)
  expect(formatFrom(later, now).replace(/\s/g, ' ')).toBe(`7:00 PM (${utc(later)} UTC)`)
  expect(formatFrom(monday, now).replace(/\s/g, ' ')).toBe(`Mon 9:30 AM (${utc(monday)} UTC)`)
})
