import { expect, test } from 'vitest'
import { measureSource, percentile } from './measure-source.ts'

const SAMPLE = `/** Says
 * what it is. */
import type { A } from './a.ts' // beside code

export function outer(a: unknown): string {
  const b = a as A
  // why
  const inner = () => {
    return '// no comment'
  }

  return (b.c! + inner()) as string
}
const words = ['x'] as const
const short = (word: string) => word.length
`

test('lines, functions, casts and comments of a file are counted', () => {
  expect(measureSource('sample.ts', SAMPLE)).toEqual({
    lines: 13,
    functionLines: [9, 3],
    casts: 3,
    commentLines: 3,
  })
})

test('text between tags is no comment, whatever it looks like', () => {
  const text = 'const view = (\n  <p>\n    // read me\n  </p>\n)\n'
  expect(measureSource('view.tsx', text)).toEqual({ lines: 5, functionLines: [], casts: 0, commentLines: 0 })
})

test('a percentile is the value that so large a share does not exceed', () => {
  expect(percentile([4, 1, 3, 2], 0.5)).toBe(2)
  expect(percentile([4, 1, 3, 2], 0.95)).toBe(4)
  expect(percentile([], 0.5)).toBe(0)
})
