import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatGain, formatPrice, gainNumber, isLoss, percentageGain, quotedPrice } from './gain.ts'

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

test('a price has two decimals, four under a dollar, no grouping', () => {
  expect(formatPrice('187.5')).toBe('$187.50')
  expect(formatPrice(1234567.891)).toBe('$1234567.89')
  expect(formatPrice('0.1234')).toBe('$0.1234')
  expect(formatPrice('1')).toBe('$1.00')
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

test('a price that is to be recorded keeps all its decimals and has at least two, four under one dollar', () => {
  expect(quotedPrice('30.1')).toBe('30.10')
  expect(quotedPrice('150')).toBe('150.00')
  expect(quotedPrice('112.345')).toBe('112.345')
  expect(quotedPrice('0.5')).toBe('0.5000')
  expect(quotedPrice('0.123457')).toBe('0.123457')
})
