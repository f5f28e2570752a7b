import { expect, test } from 'vitest'
import { readableName } from './company-name.ts'

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
  ['NVIDIA CORP', 'NVIDIA Corp'],
  ['ADVANCED MICRO DEVICES', 'Advanced Micro Devices'],
  ['AMD', 'AMD'],
  ['IBM', 'IBM'],
  ['META PLATFORMS INC-CLASS A', 'Meta Platforms Inc-Class A'],
  ['GE AEROSPACE', 'GE Aerospace'],
  ['ASML HOLDING NV-NY REG SHS', 'ASML Holding NV-NY Reg SHS'],
  ['EBAY INC', 'eBay Inc'],
  ['ISHARES MSCI EMERGING MARKETS ETF', 'iShares MSCI Emerging Markets ETF'],
  ['JPMORGAN CHASE & CO', 'JPMorgan Chase & Co'],
  ['INVESCO QQQ TRUST SERIES II', 'Invesco QQQ Trust Series II'],
])('a name in the list, %s, is read as %s', (listed, read) => {
  expect(readableName(listed)).toBe(read)
})

test('a name that has small letters stays as it is', () => {
  expect(readableName('eBay Inc')).toBe('eBay Inc')
  expect(readableName(readableName('APPLE INC'))).toBe('Apple Inc')
})
