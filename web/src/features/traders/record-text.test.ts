import { expect, test } from 'vitest'
import { besideIndexText, pointsText, upToText } from './record-text.ts'

test.each([
  [7.44, '7.4 points better'],
  [7.45, '7.5 points better'],
  [0.05, '0.1 points better'],
  [0.04, 'level'],
  [0, 'level'],
  [-0.04, 'level'],
  [-0.05, '0.1 points worse'],
  [-12.3, '12.3 points worse'],
])('a mean of %d beside the index reads %s', (mean, text) => {
  expect(pointsText(mean)).toBe(text)
})

test('the average position is compared with the index in a sentence', () => {
  expect(besideIndexText(7.44, 'SPY')).toBe('7.4 points better than SPY a position')
  expect(besideIndexText(-1.25, 'SPY')).toBe('1.3 points worse than SPY a position')
  expect(besideIndexText(0, 'SPY')).toBe('level with SPY a position')
})

test('figures of the night name their day where more is closed by now', () => {
  expect(upToText('2026-11-25', { counted: 24, closed: 25 })).toBe(' up to Nov 25')
  expect(upToText('2026-11-25', { counted: 25, closed: 25 })).toBe('')
  expect(upToText(null, { counted: 0, closed: 1 })).toBe('')
})
