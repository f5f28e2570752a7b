import { expect, test } from 'vitest'
import { makePosition } from './make-position.ts'
import { isOwn, parsePositionTab, positionsOfTab } from './position-tabs.ts'

test.each([
  ['personal', 'personal'],
  ['subscription', 'subscription'],
  ['all', 'all'],
  [null, 'all'],
  ['', 'all'],
  ['zzz', 'all'],
  ['Personal', 'all'],
  ['toString', 'all'],
])('the query parameter %j is the tab %s', (parameter, tab) => {
  expect(parsePositionTab(parameter)).toBe(tab)
})

const mine = makePosition({ id: 'mine', user: 'Maria' })
const theirs = makePosition({ id: 'theirs', user: 'theo' })
const closed = makePosition({ id: 'closed', user: 'Maria', active: false })
const all = [mine, theirs, closed]

test.each([
  ['personal', ['mine']],
  ['subscription', ['theirs']],
  ['all', ['mine', 'theirs']],
] as const)('the tab %s shows the active positions %j', (tab, ids) => {
  expect(positionsOfTab(all, tab, 'maria').map(({ id }) => id)).toEqual(ids)
})

test('without a username nothing is one’s own', () => {
  expect(positionsOfTab(all, 'personal', '')).toEqual([])
  expect(isOwn(makePosition({ user: '' }), '')).toBe(false)
})
