import { expect, test } from 'vitest'
import { closeRequirements, firstMissing, openRequirements, whyNoPriceCheck } from './position-rules.ts'

const preview = { price: '187.52', key: 'k', symbol: 'AAPL', expiresAt: '2026-11-18T15:02:00.000Z' }
const draft = {
  ticker: 'aapl',
  positionLength: 'one_to_three_weeks',
  openNotes: 'ten chars.',
  understood: true,
}
const state = { preview, checkFailed: false, marketOpen: true, username: 'maria' }

test('with all six conditions met a position may be opened', () => {
  expect(draft.openNotes).toHaveLength(10)
  const requirements = openRequirements(draft, state)
  expect(requirements).toHaveLength(6)
  expect(requirements.every(({ done }) => done)).toBe(true)
  expect(firstMissing(requirements)).toBeNull()
})

test.each([
  ['a preview', 'Enter a ticker and check its price.', {}, { preview: null }],
  ['a price', 'Check the price again, or another ticker.', {}, { preview: null, checkFailed: true }],
  ['a length', 'Choose how long you plan to hold it.', { positionLength: '' }, {}],
  ['ten characters of notes', 'Write notes of at least 10 characters.', { openNotes: 'nine char' }, {}],
  [
    'ten characters that are no spaces',
    'Write notes of at least 10 characters.',
    { openNotes: 'nine char ' },
    {},
  ],
  ['the tick', 'Confirm that you cannot close on the same day.', { understood: false }, {}],
  ['an open market', 'The market is closed.', {}, { marketOpen: false }],
  ['a username', 'Set up a username first.', {}, { username: '' }],
])('a position is not opened without %s, and the reason names it', (_, reason, draftPart, statePart) => {
  const requirements = openRequirements({ ...draft, ...draftPart }, { ...state, ...statePart })
  expect(firstMissing(requirements)).toBe(reason)
  expect(requirements.filter(({ done }) => !done)).toHaveLength(1)
})

test.each([
  ['0.9999', 'Positions can be opened from $1.00.'],
  ['1', null],
])('at %s the reason against opening is %j, and against closing there is none', (price, reason) => {
  const given = { ...state, preview: { ...preview, price } }
  expect(firstMissing(openRequirements(draft, given))).toBe(reason)
  expect(firstMissing(closeRequirements('ten chars.', { ...given, laterDay: true }))).toBeNull()
})

test('notes over 500 are the server’s to refuse', () => {
  const notes = 'x'.repeat(501)
  expect(firstMissing(openRequirements({ ...draft, openNotes: notes }, state))).toBeNull()
  expect(firstMissing(closeRequirements(notes, { preview, laterDay: true }))).toBeNull()
})

test('Check Price needs a ticker and a username', () => {
  expect(whyNoPriceCheck('aapl', 'maria')).toBeNull()
  expect(whyNoPriceCheck('', 'maria')).toBe('Enter a ticker first.')
  expect(whyNoPriceCheck('  ', 'maria')).toBe('Enter a ticker first.')
  expect(whyNoPriceCheck('aapl', '')).toBe('Set up a username first.')
})

test('with price, later day and ten characters a position may be closed', () => {
  expect(firstMissing(closeRequirements('ten chars.', { preview, laterDay: true }))).toBeNull()
})

test.each([
  ['a preview', 'Check the price.', 'ten chars.', { preview: null, laterDay: true }],
  ['a price in it', 'Check the price.', 'ten chars.', { preview: { ...preview, price: '' }, laterDay: true }],
  ['ten characters', 'Write notes of at least 10 characters.', 'nine char', { preview, laterDay: true }],
  ['a later day', 'Wait for the next day, in UTC.', 'ten chars.', { preview, laterDay: false }],
])('a position is not closed without %s, and the reason names it', (_, reason, notes, given) => {
  expect(firstMissing(closeRequirements(notes, given))).toBe(reason)
})
