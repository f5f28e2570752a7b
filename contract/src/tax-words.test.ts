import { expect, test } from 'vitest'
import { withTaxWords } from './tax-words.ts'

test('a price says that its tax stands in it where one is computed, and nothing where none is', () => {
  expect(withTaxWords('$10 a month', 'platform')).toBe('$10 a month, tax included')
  expect(withTaxWords('$10 a month', 'trader')).toBe('$10 a month, tax included')
  expect(withTaxWords('$10 a month', null)).toBe('$10 a month')
  expect(withTaxWords('$10 a month', undefined)).toBe('$10 a month')
})
