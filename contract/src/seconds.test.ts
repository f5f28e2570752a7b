import { expect, test } from 'vitest'
import { writeSeconds } from './seconds.ts'

test('spans are written in tenths of a second below two minutes, and in minutes that are rounded up from there on', () => {
  expect(['0.8', '3', '119.9', '120.0', '120.1', '66000'].map(writeSeconds)).toEqual([
    '0.8 s',
    '3.0 s',
    '119.9 s',
    '2 min',
    '3 min',
    '1,100 min',
  ])
})
