import { expect, test } from 'vitest'
import { checkAbout, checkFeedback, checkNotes } from './limits.ts'

test('notes have 10 to 500 characters once trimmed', () => {
  expect(checkNotes('x'.repeat(9))).toBe('notes_too_short')
  expect(checkNotes('x'.repeat(10))).toBeNull()
  expect(checkNotes('x'.repeat(500))).toBeNull()
  expect(checkNotes('x'.repeat(501))).toBe('notes_too_long')
  expect(checkNotes(`   ${'x'.repeat(9)}   `)).toBe('notes_too_short')
  expect(checkNotes(` ${'x'.repeat(500)}\n`)).toBeNull()
})

test('characters are counted as the counter shows them, an emoji as two', () => {
  expect('🚀'.length).toBe(2)
  expect(checkNotes('🚀'.repeat(5))).toBeNull()
  expect(checkNotes('🚀'.repeat(4))).toBe('notes_too_short')
  expect(checkNotes('🚀'.repeat(250))).toBeNull()
  expect(checkNotes('🚀'.repeat(251))).toBe('notes_too_long')
})

test('what a trader says about themselves has at most 160 characters once trimmed, and may be empty', () => {
  expect(['', '  ', 'x'.repeat(160), ` ${'x'.repeat(160)}\n`].map(checkAbout)).toEqual([
    null,
    null,
    null,
    null,
  ])
  expect(['x'.repeat(161), '🚀'.repeat(81)].map(checkAbout)).toEqual(['about_too_long', 'about_too_long'])
})

test('feedback has the same bounds as notes', () => {
  const lengths = [9, 10, 500, 501].map((length) => checkFeedback('x'.repeat(length)))
  expect(lengths).toEqual(['feedback_length', null, null, 'feedback_length'])
})
