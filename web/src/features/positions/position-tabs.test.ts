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

test('a tab is narrowed to one trader, however the name is spelled, and to nobody where there is none', () => {
  const other = makePosition({ id: 'other', user: 'jonas' })
  const ids = (trader: string | null) =>
    positionsOfTab([...all, other], 'subscription', 'maria', trader).map(({ id }) => id)
  expect([ids('THEO'), ids('jonas'), ids('nobody'), ids(null)]).toEqual([
    ['theirs'],
    ['other'],
    [],
    ['theirs', 'other'],
  ])
})

test('without a username nothing is one’s own', () => {
  expect(positionsOfTab(all, 'personal', '')).toEqual([])
  expect(isOwn(makePosition({ user: '' }), '')).toBe(false)
})
