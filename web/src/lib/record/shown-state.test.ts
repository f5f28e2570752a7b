import { HISTORY_KEYS, historyOf } from '@tradepost/record/test-history'
import { expect, test } from 'vitest'
import { readShownState } from './shown-state.ts'

const note = historyOf().note(150)

test('a checkpoint says how large the record is, when it was signed and by how many witnesses', () => {
  const signedAt = Date.UTC(2026, 10, 26, 15, 2, 4) / 1000
  expect(readShownState(note)).toEqual({ size: 150, signedAt, witnesses: 1 })
})

test('what is no checkpoint, or was not signed by the log, says nothing', () => {
  expect(readShownState('Not found')).toBeNull()
  expect(readShownState(note.replaceAll(`— ${HISTORY_KEYS.origin}`, '— somebody.else'))).toBeNull()
})
