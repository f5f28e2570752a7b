import { expect, test } from 'vitest'
import { RecentStops } from './recent-stops.ts'

test('who stops is looked up again by those who read recipients before, and by nobody who reads later', () => {
  const stops = new RecentStops()
  stops.note('ann')
  const mark = stops.mark()
  expect(stops.mayHaveStopped('ann', mark)).toBe(false)
  stops.note('bob')
  expect(stops.mayHaveStopped('bob', mark)).toBe(true)
  expect(stops.mayHaveStopped('ann', mark)).toBe(false)
  expect(stops.mayHaveStopped('bob', stops.mark())).toBe(false)
})

test('beyond a thousand nobody is forgotten: everybody is looked up again', () => {
  const stops = new RecentStops()
  const mark = stops.mark()
  for (let nth = 0; nth <= 1000; nth += 1) stops.note(`person ${nth}`)
  expect(stops.mayHaveStopped('person 0', mark)).toBe(true)
  expect(stops.mayHaveStopped('somebody else', mark)).toBe(true)
  expect(stops.mayHaveStopped('somebody else', stops.mark())).toBe(false)
})
