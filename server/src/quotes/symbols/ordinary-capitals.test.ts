import { expect, test } from 'vitest'
import { ordinaryCapitals } from './ordinary-capitals.ts'

test.each([
  ['APPLE INC', 'Apple Inc'],
  ['BANK OF AMERICA CORP', 'Bank of America Corp'],
  ['THE COCA-COLA CO', 'The Coca-Cola Co'],
  ["MCDONALD'S CORP", "McDonald's Corp"],
  ["O'REILLY AUTOMOTIVE INC", "O'Reilly Automotive Inc"],
  ['AT&T INC', 'AT&T Inc'],
  ['CVS HEALTH CORP', 'CVS Health Corp'],
  ['SPDR S&P 500 ETF TRUST', 'SPDR S&P 500 ETF Trust'],
  ['BHP GROUP LTD-SPON ADR', 'BHP Group Ltd-Spon ADR'],
  ['3M CO', '3M Co'],
  ['APOLLO GLOBAL MANAGEMENT LLC', 'Apollo Global Management LLC'],
  ['KKR ACQUISITION XV LP', 'KKR Acquisition XV LP'],
  ['BERKSHIRE HATHAWAY INC-CL B', 'Berkshire Hathaway Inc-Cl B'],
  ['JOHNSON & JOHNSON', 'Johnson & Johnson'],
  ['SOCIÉTÉ GÉNÉRALE SA', 'Société Générale SA'],
])('a name in the list, %s, is written %s', (listed, written) => {
  expect(ordinaryCapitals(listed)).toBe(written)
})

test('a name that has small letters stays as it is', () => {
  expect(ordinaryCapitals('eBay Inc')).toBe('eBay Inc')
  expect(ordinaryCapitals(ordinaryCapitals('APPLE INC'))).toBe('Apple Inc')
})
