import { expect, test } from 'vitest'
import { checkSymbol, normaliseSymbol, symbolSpellings } from './symbol.ts'

test('a ticker has one spelling, trimmed and upper case', () => {
  expect(normaliseSymbol('  brk.b ')).toBe('BRK.B')
})

test.each([
  ['＄ＡＡＰＬ', 'AAPL'],
  ['ＡＡＰＬ', 'AAPL'],
  ['$AAPL', 'AAPL'],
  ['#aapl', 'AAPL'],
  ['AAPL\u200b', 'AAPL'],
  ['\ufeffAAPL', 'AAPL'],
  ['\u202aAAPL\u202c', 'AAPL'],
  ['A\u00adAPL', 'AAPL'],
  ['AAPL\u00a0', 'AAPL'],
  ['AAPL,', 'AAPL'],
  ['AAPL:US', 'AAPL'],
  ['NASDAQ:AAPL', 'AAPL'],
  ['NYSE: KO', 'KO'],
  ['brk b', 'BRK.B'],
  ['BF/B', 'BF.B'],
  ['BRK-B', 'BRK.B'],
  ['brk-b', 'BRK.B'],
  ['$BRK-B,', 'BRK.B'],
  ['NYSE:BRK-B', 'BRK.B'],
  ['ＢＲＫ－Ｂ', 'BRK.B'],
  ['v/a', 'V.A'],
  ['a b', 'A B'],
  ['GOOGL-A', 'GOOGL.A'],
  ['BRK-BB', 'BRK-BB'],
  ['BRK-', 'BRK-'],
  ['BRK--B', 'BRK--B'],
  ['ABCDEF-B', 'ABCDEF-B'],
  ['B2B-A', 'B2B-A'],
  ['A-B-C', 'A-B-C'],
  ['?', '?'],
  ['$', '$'],
])('%j, as it may be pasted, is read as it is seen: %s', (pasted, symbol) => {
  expect(normaliseSymbol(pasted)).toBe(symbol)
  expect(normaliseSymbol(symbol)).toBe(symbol)
})

test.each(['A', 'AAPL', 'BRK.B', 'RDS-A', 'A123456789'])('%s is a ticker', (symbol) => {
  expect(checkSymbol(symbol)).toBeNull()
})

test.each([
  ['BRK.B', ['BRK.B', 'BRK-B']],
  ['V.A', ['V.A', 'V-A']],
  ['GOOGL.A', ['GOOGL.A', 'GOOGL-A']],
  ['AAPL', ['AAPL']],
  ['ABCDEF.B', ['ABCDEF.B']],
  ['BRK.BB', ['BRK.BB']],
])('a position in %s may be stored as %j', (symbol, spellings) => {
  expect(symbolSpellings(symbol)).toEqual(spellings)
  for (const spelling of spellings) expect(normaliseSymbol(spelling)).toBe(symbol)
})

test('an empty ticker is refused as missing', () => {
  expect(checkSymbol(normaliseSymbol('  '))).toBe('symbol_required')
})

test.each([
  'aapl',
  '1A',
  '.A',
  'A1234567890',
  'A12345678901',
  'A B',
  'A&B',
  'A/../B',
  'A?x=1',
  'A#',
  'A\r\nBCC',
  '<B>',
  'ÄPL',
  'А',
  'A\u0000',
])('%j is no ticker', (symbol) => {
  expect(checkSymbol(symbol)).toBe('symbol_invalid')
})

test('letters that grow or change when upper-cased do not slip through', () => {
  // ß becomes SS, ı becomes I: the result is judged, not the input.
  expect(checkSymbol(normaliseSymbol('ﬁ'))).toBeNull()
  expect(normaliseSymbol('ﬁ')).toBe('FI')
  expect(checkSymbol(normaliseSymbol('ß'.repeat(6)))).toBe('symbol_invalid')
})
