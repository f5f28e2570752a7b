import { expect, test } from 'vitest'
import { drawSparkline } from './sparkline-path.ts'

const SIZE = { width: 80, height: 28 }

test('a curve goes from edge to edge, its best level at the top and its worst at the bottom', () => {
  expect(drawSparkline([100, 90, 110], SIZE)).toEqual({ path: 'M2 14L40 26L78 2', start: 14 })
  expect(drawSparkline([100, 112, 124], SIZE)).toEqual({ path: 'M2 26L40 14L78 2', start: 26 })
})

test('a curve that hardly moves is drawn as flat as it is', () => {
  expect(drawSparkline([100, 100], SIZE)).toEqual({ path: 'M2 14L78 14', start: 14 })
  expect(drawSparkline([100, 101], SIZE).path).toBe('M2 17L78 11')
})
