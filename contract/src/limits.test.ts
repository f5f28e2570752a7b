import { expect, test } from 'vitest'
import { checkFeedback, checkNotes } from './limits.ts'

test('TRADE-29 DLG-11 CONST-23: notes have 10 to 500 characters once trimmed', () => {
  expect(checkNotes('x'.repeat(9))).toBe('notes_too_short')
  expect(checkNotes('x'.repeat(10))).toBeNull()
  expect(checkNotes('x'.repeat(500))).toBeNull()
  expect(checkNotes('x'.repeat(501))).toBe('notes_too_long')
  expect(checkNotes(`   ${'x'.repeat(9)}   `)).toBe('notes_too_short')
  expect(checkNotes(` ${'x'.repeat(500)}\n`)).toBeNull()
})

test('CONST-23: characters are counted as the counter shows them, an emoji as two', () => {
  expect('🚀'.length).toBe(2)
  expect(checkNotes('🚀'.repeat(5))).toBeNull()
  expect(checkNotes('🚀'.repeat(4))).toBe('notes_too_short')
  expect(checkNotes('🚀'.repeat(250))).toBeNull()
  expect(checkNotes('🚀'.repeat(251))).toBe('notes_too_long')
})

test('FEED-07 CONST-23: feedback has the same bounds', () => {
  const lengths = [9, 10, 500, 501].map((length) => checkFeedback('x'.repeat(length)))
  expect(lengths).toEqual(['feedback_length', null, null, 'feedback_length'])
})
