import { expect, test } from 'vitest'
import { readCard, TEST_CARDS, TEST_TOKENS } from './cards.ts'

const NOW = Date.parse('2026-11-21T00:00:00Z') / 1000
const card = (number: string, expiry = '12/34') => readCard({ number, expiry, cvc: '123' }, NOW)

test('every test card is a number that passes its check digit, and every ready name leads to one', () => {
  for (const number of Object.keys(TEST_CARDS)) expect(card(number)).toMatchObject({ number })
  for (const number of Object.values(TEST_TOKENS)) expect(TEST_CARDS).toHaveProperty(number)
})

test.each(['11/26', ' 11 / 2026 ', '12 / 34', '1/27'])('%s is a day to come', (expiry) => {
  expect(card('4242 4242 4242 4242', expiry)).toBeTypeOf('object')
})

test.each(['10/26', '00/30', '13/30', '1234', '', 'a/b'])('%s is no day to come', (expiry) => {
  expect(card('4242 4242 4242 4242', expiry)).toMatch(/expiry date/)
})
