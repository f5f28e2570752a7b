import { expect, test } from 'vitest'
import { wrap } from './wrap.ts'

test('plain text is broken between words at 72 columns; what is longer stays whole', () => {
  const link = `https://tradepost.example/${'x'.repeat(80)}`
  const lines = wrap(`${'word '.repeat(40)}${link} ${'end '.repeat(30)}`.trim()).split('\n')
  expect(lines).toContain(link)
  for (const line of lines) expect(line === link || line.length <= 72).toBe(true)
  expect(lines.join(' ')).toBe(`${'word '.repeat(40)}${link} ${'end '.repeat(30)}`.trim())
})
