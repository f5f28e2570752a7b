import { expect, test } from 'vitest'
import { classOf, estimate, groupByClass } from './proven-words.ts'

const entry = (username: string, low: string, high: string, provisional = false) => ({
  username,
  low,
  middle: '1.00',
  high,
  provisional,
  closed: 1,
  open: 0,
  overdue: 0,
  averageGain: null,
})

test('a bar is clearly above or below zero only as a whole, and a provisional one is neither', () => {
  expect(classOf(entry('a', '0.01', '2.00'))).toBe('above')
  expect(classOf(entry('a', '0.00', '2.00'))).toBe('apart')
  expect(classOf(entry('a', '-1.00', '0.00'))).toBe('apart')
  expect(classOf(entry('a', '-2.00', '-0.01'))).toBe('below')
  expect(classOf(entry('a', '0.50', '2.00', true))).toBe('provisional')
})

test('classes come from the best to those without a rank, empty ones not at all, each in the order of the list', () => {
  const list = [
    entry('new', '3.00', '9.00', true),
    entry('first', '2.00', '3.00'),
    entry('second', '1.00', '5.00'),
    entry('bad', '-3.00', '-1.00'),
  ]
  expect(
    groupByClass(list).map(({ entries, name }) => [name, entries.map(({ username }) => username)]),
  ).toEqual([
    ['above', ['first', 'second']],
    ['below', ['bad']],
    ['provisional', ['new']],
  ])
})

test('an estimate has its sign and one decimal, and zero has no sign', () => {
  expect(['2.04', '1.95', '-0.35', '-0.04', '0.00'].map(estimate)).toEqual([
    '+2.0',
    '+2.0',
    '-0.4',
    '0.0',
    '0.0',
  ])
})
