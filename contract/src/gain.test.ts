import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatGain, formatPrice, gainNumber, isLoss, percentageGain } from './gain.ts'

test('profit is (current - open) / open * 100 with two decimals', () => {
  expect(formatGain(percentageGain('100', '112.345'))).toBe('12.35')
  expect(formatGain(percentageGain(100, 112.344))).toBe('12.34')
  expect(formatGain(percentageGain('0.1', '0.3'))).toBe('200.00')
  expect(formatGain(percentageGain('3', '4'))).toBe('33.33')
})

test('a loss has a minus sign', () => {
  expect(formatGain(percentageGain('100', '90'))).toBe('-10.00')
})

test('halves are rounded away from zero, on decimals and not on floats', () => {
  expect(formatGain('1.005')).toBe('1.01')
  expect(formatGain('-1.005')).toBe('-1.01')
  expect(formatGain('2.675')).toBe('2.68')
})

test('"-0.00" is never shown, and what shows as zero is no loss', () => {
  expect(formatGain('-0.004')).toBe('0.00')
  expect(Object.is(gainNumber('-0.004'), 0)).toBe(true)
  expect(isLoss('-0.004')).toBe(false)
  expect(isLoss('-0.005')).toBe(true)
  expect(isLoss('0')).toBe(false)
})

test('an average of many places has two decimals, rounded half away from zero', () => {
  expect(formatGain('0.007')).toBe('0.01')
  expect(formatGain('-3.333333333333')).toBe('-3.33')
  expect(formatGain('-0.005')).toBe('-0.01')
})

test.each([
  ['187.5', '$187.50'],
  ['187.520000', '$187.52'],
  ['112.345', '$112.35'],
  ['1', '$1.00'],
  ['1.999', '$2.00'],
  [1234567.891, '$1234567.89'],
  ['0.5', '$0.500'],
  ['0.812500', '$0.8125'],
  ['0.9996', '$0.9996'],
  ['0.123457', '$0.123457'],
  ['0.1234567891', '$0.123457'],
  ['0.01', '$0.0100'],
  ['0.0000014', '$0.00000140'],
  [1.4e-6, '$0.00000140'],
])('the price %s is written %s', (given, written) => {
  expect(formatPrice(given)).toBe(written)
})

test.each([
  ['10.001', ['10.004'], '$10.0010'],
  ['10.004', ['10.001'], '$10.0040'],
  [10.001, ['10.0010'], '$10.00'],
  ['10.001', ['10.01'], '$10.00'],
  ['10.001', [], '$10.00'],
  ['10.001', ['250', '10.004'], '$10.0010'],
  ['250', ['10.001', '10.004'], '$250.00'],
  ['10.00001', ['10.00002'], '$10.0000'],
  ['0.00000140', ['0.0000014'], '$0.00000140'],
  ['0.0000015', ['0.0000014'], '$0.00000150'],
  ['0.12345671', ['0.12345674'], '$0.12345671'],
  ['0.99999991', ['1'], '$0.99999991'],
  ['1', ['0.99999991'], '$1.0000'],
])('the price %s beside %j is written %s', (given, beside, written) => {
  expect(formatPrice(given, ...beside)).toBe(written)
})

const price = fc.integer({ min: 1, max: 10 ** 12 }).map((micros) => (micros / 1e6).toFixed(6))

test('for all prices, the sign is right, no "-0.00", and the JSON number shows the same digits', () => {
  fc.assert(
    fc.property(price, price, (open, close) => {
      const gain = percentageGain(open, close)
      const shown = formatGain(gain)
      expect(shown).toMatch(/^-?\d+\.\d\d$/)
      expect(shown).not.toBe('-0.00')
      if (Number(close) > Number(open)) expect(shown.startsWith('-')).toBe(false)
      if (close === open) expect(shown).toBe('0.00')
      if (Math.abs(Number(gain)) < 1e12) expect(formatGain(gainNumber(gain))).toBe(shown)
    }),
  )
})
