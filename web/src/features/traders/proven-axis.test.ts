import { expect, test } from 'vitest'
import { axisOf, placeOn } from './proven-axis.ts'

const entry = (low: string, middle: string, high: string, provisional = false) => ({
  username: 'maria',
  low,
  middle,
  high,
  provisional,
  closed: 1,
  open: 0,
  overdue: 0,
  averageGain: null,
})

test('the axis holds zero, every middle, and both ends of the bars that are not provisional', () => {
  expect(axisOf([])).toEqual({ from: 0, to: 0 })
  expect(axisOf([entry('0.50', '1.00', '1.50')])).toEqual({ from: 0, to: 1.5 })
  expect(axisOf([entry('-3.00', '-2.00', '-1.00')])).toEqual({ from: -3, to: 0 })
  const wide = entry('-9.00', '2.00', '13.00', true)
  expect(axisOf([entry('-0.50', '0.50', '1.50'), wide])).toEqual({ from: -0.5, to: 2 })
  expect(axisOf([wide])).toEqual({ from: -9, to: 13 })
})

test('a place is a share of the axis, and an axis without length has one place', () => {
  const axis = { from: -1, to: 3 }
  expect([-1, 0, 1, 3, 5, -5].map((value) => placeOn(axis, value))).toEqual([0, 25, 50, 100, 150, -100])
  expect(placeOn({ from: 0, to: 0 }, 0)).toBe(0)
})
