import { expect, test } from 'vitest'
import { endOfHold, nextTry, nextTryAfterRefusal, nextTryWhileRefused } from './retry-schedule.ts'

const start = new Date('2026-03-04T15:00:00.000Z')

test('a deferred mail is tried eight times within about a day, the first time again after ten seconds', () => {
  expect(nextTry(1, start, 0)).toEqual(new Date('2026-03-04T15:00:10.000Z'))
  expect(nextTry(1, start, 1)).toEqual(new Date('2026-03-04T15:00:15.000Z'))
  for (const [chance, hours] of [
    [0, 15],
    [1, 22],
  ] as const) {
    let at = start
    let tries = 1
    for (let next = nextTry(tries, at, chance); next; next = nextTry(tries, at, chance)) {
      at = next
      tries += 1
    }
    expect(tries).toBe(8)
    expect(Math.floor((at.getTime() - start.getTime()) / 3_600_000)).toBe(hours)
  }
})

test('a refused mail is tried again after pauses that grow, by of what the refusal spoke, and is then given up', () => {
  const minutesOf = (about: 'address' | 'recipient', refusals: number[]) =>
    refusals.map((count) => {
      const next = nextTryAfterRefusal(count, about, start)
      return next && (next.getTime() - start.getTime()) / 60_000
    })
  expect(minutesOf('address', [1, 2, 3, 4, 5, 6, 7, 8])).toEqual([1, 15, 15, 15, 60, 360, 1440, null])
  expect(minutesOf('recipient', [1, 2, 3, 4, 5])).toEqual([60, 360, 1440, 4320, null])
})

test('mails that wait because the server refuses us are tried again soon at first, and every quarter of an hour at most', () => {
  expect(endOfHold(0, start, 0)).toEqual(new Date('2026-03-04T15:00:15.000Z'))
  expect(endOfHold(1, start, 0)).toEqual(new Date('2026-03-04T15:00:30.000Z'))
  expect(endOfHold(1, start, 1)).toEqual(new Date('2026-03-04T15:00:15.000Z'))
  expect(endOfHold(6, start, 0)).toEqual(new Date('2026-03-04T15:15:00.000Z'))
  expect(endOfHold(2000, start, 0)).toEqual(new Date('2026-03-04T15:15:00.000Z'))
})

test('a single mail waits as long again as the server has refused us, between 15 seconds and a quarter of an hour', () => {
  const after = (seconds: number) => nextTryWhileRefused(start, new Date(start.getTime() + 1000 * seconds), 0)
  expect(after(0)).toEqual(new Date('2026-03-04T15:00:15.000Z'))
  expect(after(60)).toEqual(new Date('2026-03-04T15:02:00.000Z'))
  expect(after(86_400)).toEqual(new Date('2026-03-05T15:15:00.000Z'))
})
