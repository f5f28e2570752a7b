import { expect, test } from 'vitest'
import { type EntryText, readEntryText, writeEntryText } from './entry-text.ts'

const quotedAt = '2026-11-26T15:02:03.120Z'
const hash = 'rzIfl7H2SdQVmvNDOTSu4AqOUjSZM5JxAVOzoXsULVI='

test.each<[EntryText, string]>([
  [
    { kind: 'opened', symbol: 'NVDA', price: '187.52', quotedAt, hold: '3-6 months', notesHash: hash },
    `["opened","NVDA","187.52","USD","${quotedAt}","3-6 months","${hash}"]`,
  ],
  [
    { kind: 'closed', symbol: 'NVDA', price: '100', quotedAt, notesHash: hash },
    `["closed","NVDA","100","USD","${quotedAt}","","${hash}"]`,
  ],
  [
    { kind: 'split', symbol: 'NVDA', newShares: 10, oldShares: 1, day: '2026-06-10' },
    '["adjusted","NVDA","split","10:1","2026-06-10"]',
  ],
  [
    { kind: 'settled', symbol: 'NVDA', price: '0.5', quotedAt },
    `["adjusted","NVDA","settled","0.5","USD","${quotedAt}"]`,
  ],
  [
    { kind: 'corrected', symbol: 'NVDA', end: 'close', price: '180', reasonHash: hash },
    `["adjusted","NVDA","price","close","180","${hash}"]`,
  ],
  [{ kind: 'struck', symbol: 'NVDA', reasonHash: hash }, `["adjusted","NVDA","struck","${hash}"]`],
  [
    { kind: 'renamed', symbol: 'FB', symbolAfter: 'META', day: '2022-06-09' },
    '["adjusted","FB","renamed","META","2022-06-09"]',
  ],
  [{ kind: 'erased' }, '["erased"]'],
  [{ kind: 'key', verifierKey: 'a+00000000+AA', day: '2026-11-27' }, '["key","a+00000000+AA","2026-11-27"]'],
  [{ kind: 'marks', day: '2026-11-26', fileHash: hash }, `["marks","2026-11-26","${hash}"]`],
])('%j is written in one way, and comes back', (entry, text) => {
  expect(writeEntryText(entry)).toBe(text)
  expect(readEntryText(text)).toEqual(entry)
})

test.each([
  '["opened", "NVDA","187.52","USD","2026-11-26T15:02:03.120Z","3-6 months","x"]',
  '["opened","NVDA","187.52","EUR","2026-11-26T15:02:03.120Z","3-6 months","x"]',
  '["opened","NVDA"]',
  '["erased","more"]',
  '["adjusted","NVDA","split","10:0","2026-06-10"]',
  '["adjusted","NVDA","split","010:1","2026-06-10"]',
  '["adjusted","NVDA","price","middle","180","x"]',
  '["sold","NVDA"]',
  '{"kind":"erased"}',
  '["erased"',
  '[1]',
])('%s is no text of an entry', (text) => {
  expect(readEntryText(text)).toBeNull()
})
