import { expect, test } from 'vitest'
import { activityItemId, parseActivityItemId } from './activity-item.ts'

test('an item’s name holds its trader and number, and nothing that could be an address', () => {
  expect(parseActivityItemId(activityItemId('maria', 42))).toEqual({ trader: 'maria', eventNo: 42 })
  expect(parseActivityItemId('a-b_c.1')).toEqual({ trader: 'a-b_c', eventNo: 1 })
  for (const other of [
    '',
    'maria',
    'maria.0',
    'maria.-1',
    'maria.1.2',
    'maria.1e9',
    ' maria.1',
    'maria.1\n',
    '//elsewhere.example/maria.1',
    'https://elsewhere.example',
    '..',
    'a.1',
    `${'m'.repeat(16)}.1`,
  ])
    expect([other, parseActivityItemId(other)]).toEqual([other, null])
})
