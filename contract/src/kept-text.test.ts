import { expect, test } from 'vitest'
import { keptText } from './kept-text.ts'
import { checkFeedback, checkNotes } from './limits.ts'

test('blanks around a text are not kept, blanks within it are', () => {
  expect(keptText('  Margins  rise.\n')).toBe('Margins  rise.')
  expect(keptText(' '.repeat(10))).toBe('')
})

test.each([
  ['spaces of no width', '\u200b'],
  ['joiners', '\u200d'],
  ['non-joiners', '\u200c'],
  ['word joiners', '\u2060'],
  ['soft hyphens', '\u00ad'],
  ['Hangul fillers', '\u3164'],
  ['half-width Hangul fillers', '\uffa0'],
  ['empty braille patterns', '\u2800'],
  ['variation selectors', '\ufe0f'],
  ['tags', '\u{e0041}'],
  ['invisible operators', '\u2062'],
  ['bells', '\u0007'],
  ['direction marks', '\u200e'],
  ['no-break spaces', '\u00a0'],
])('ten %s are no notes and no feedback', (_, character) => {
  const text = ` ${character}`.repeat(10)
  expect(keptText(text)).toBe('')
  expect(checkNotes(text)).toBe('notes_too_short')
  expect(checkFeedback(text)).toBe('feedback_length')
})

test.each([
  ['embedding', '\u202a'],
  ['embedding to the left', '\u202b'],
  ['pop', '\u202c'],
  ['override', '\u202d'],
  ['override to the left', '\u202e'],
  ['isolate', '\u2066'],
  ['isolate to the left', '\u2067'],
  ['first strong isolate', '\u2068'],
  ['pop isolate', '\u2069'],
  ['left-to-right mark', '\u200e'],
  ['right-to-left mark', '\u200f'],
  ['Arabic letter mark', '\u061c'],
])('the direction control %s is not kept, nor counted', (_, control) => {
  expect(keptText(`Sell ${control}gnirud${control} the rise.`)).toBe('Sell gnirud the rise.')
  expect(checkNotes(`${'x'.repeat(9)}${control}`)).toBe('notes_too_short')
  expect(checkNotes(`${'x'.repeat(500)}${control}`)).toBeNull()
})

test('what people write is kept to the last character: emoji with joiners, Persian, Hebrew, a flag of tags', () => {
  for (const text of [
    'Up we go 👩‍🚀❤️',
    'می‌خواهم بخرم و نگه دارم',
    'קונה בירידה ומחכה',
    '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}',
  ]) {
    expect(keptText(text)).toBe(text)
  }
})
