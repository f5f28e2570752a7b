import { expect, test } from 'vitest'
import { axisOf, placeOn } from './proven-axis.ts'

const entry = (low: string, middle: string, high: string) => ({
  username: 'maria',
  low,
  middle,
  high,
  provisional: false,
  closed: 1,
  open: 0,
  overdue: 0,
  averageGain: null,
})

test('the axis holds zero, every left end, and the right ends of nine in ten', () => {
  expect(axisOf([])).toEqual({ from: 0, to: 0 })
  expect(axisOf([entry('0.50', '1.00', '1.50')])).toEqual({ from: 0, to: 1.5 })
  expect(axisOf([entry('-3.00', '-2.00', '-1.00')])).toEqual({ from: -3, to: 0 })
  const ten = Array.from({ length: 10 }, (_, nth) =>
    entry('-1.00', '0.00', nth === 9 ? '80.00' : `${nth}.00`),
  )
  expect(axisOf(ten)).toEqual({ from: -1, to: 8 })
  expect(axisOf([...ten.slice(0, 9), entry('-1.00', '20.00', '80.00')])).toEqual({ from: -1, to: 20 })
})

test('what is beyond an end of the axis lies on it, and an axis without length has one place', () => {
  const axis = { from: -1, to: 3 }
  expect([-1, 0, 1, 3, 80, -5].map((value) => placeOn(axis, value))).toEqual([0, 25, 50, 100, 100, 0])
  expect(placeOn({ from: 0, to: 0 }, 0)).toBe(0)
})
