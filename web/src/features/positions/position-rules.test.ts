import { expect, test } from 'vitest'
import { canCheckPrice, canClosePosition, canOpenPosition } from './position-rules.ts'

const preview = { price: '187.52', key: 'k', symbol: 'AAPL', expiresAt: '2026-11-18T15:02:00.000Z' }
const draft = {
  ticker: 'aapl',
  positionLength: 'one_to_three_weeks',
  openNotes: 'ten chars.',
  understood: true,
}
const state = { preview, marketOpen: true, username: 'maria' }

test('with all six conditions met a position may be opened', () => {
  expect(draft.openNotes).toHaveLength(10)
  expect(canOpenPosition(draft, state)).toBe(true)
})

test.each([
  ['a preview', {}, { preview: null }],
  ['a length', { positionLength: '' }, {}],
  ['ten characters of notes', { openNotes: 'nine char' }, {}],
  ['ten characters that are no spaces', { openNotes: 'nine char ' }, {}],
  ['the tick', { understood: false }, {}],
  ['an open market', {}, { marketOpen: false }],
  ['a username', {}, { username: '' }],
])('a position is not opened without %s', (_, draftPart, statePart) => {
  expect(canOpenPosition({ ...draft, ...draftPart }, { ...state, ...statePart })).toBe(false)
})

test('notes over 500 are the server’s to refuse', () => {
  const notes = 'x'.repeat(501)
  expect(canOpenPosition({ ...draft, openNotes: notes }, state)).toBe(true)
  expect(canClosePosition(notes, { preview, laterDay: true })).toBe(true)
})

test('Check Price needs a ticker and a username', () => {
  expect(canCheckPrice('aapl', 'maria')).toBe(true)
  expect(canCheckPrice('', 'maria')).toBe(false)
  expect(canCheckPrice('  ', 'maria')).toBe(false)
  expect(canCheckPrice('aapl', '')).toBe(false)
})

test('with price, later day and ten characters a position may be closed', () => {
  expect(canClosePosition('ten chars.', { preview, laterDay: true })).toBe(true)
})

test.each([
  ['a preview', 'ten chars.', { preview: null, laterDay: true }],
  ['a price in it', 'ten chars.', { preview: { ...preview, price: '' }, laterDay: true }],
  ['ten characters', 'nine char', { preview, laterDay: true }],
  ['a later day', 'ten chars.', { preview, laterDay: false }],
])('a position is not closed without %s', (_, notes, given) => {
  expect(canClosePosition(notes, given)).toBe(false)
})
