import { renderHook } from '@testing-library/react'
import { activityAnswer } from '@tradepost/contract/activity'
import { feedMessage } from '@tradepost/contract/feed'
import { marksAnswer } from '@tradepost/contract/marks'
import { positionsAnswer } from '@tradepost/contract/positions'
import { pricePreview } from '@tradepost/contract/quotes'
import { subscriptionsAnswer } from '@tradepost/contract/subscriptions'
import { beforeEach, expect, test, vi } from 'vitest'

const at = '2026-11-20T15:00:00.000Z'
const mark = (symbol: string, state = 'current') => ({ symbol, price: '10', at, state })
const position = (id: string, more = {}) => ({
  id,
  active: true,
  stock: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openNotes: 'Why it was opened.',
  openPrice: 100,
  openedAt: at,
  user: 'maria',
  ...more,
})

beforeEach(() => vi.resetModules())

/** The reader of a page that has just been loaded, and whether it has found the server to be newer. */
async function newPage() {
  const { readAnswer } = await import('./read-answer.ts')
  const { useNewerVersion } = await import('./newer-version.ts')
  return { readAnswer, isOlder: () => renderHook(() => useNewerVersion()).result.current }
}

test('an answer that is all known is read as it is', async () => {
  const { readAnswer, isOlder } = await newPage()
  expect(readAnswer(marksAnswer, { marks: [mark('A'), mark('B')] })?.marks).toHaveLength(2)
  expect(isOlder()).toBe(false)
})

test('items of a list that cannot be read are left out, however many faults each has, and the page is known to be older', async () => {
  const { readAnswer, isOlder } = await newPage()
  const unknown = { ...mark('B', 'halted'), price: 10 }
  const marks = [mark('A'), unknown, mark('C'), unknown, unknown, mark('D')]
  expect(readAnswer(marksAnswer, { marks })?.marks.map(({ symbol }) => symbol)).toEqual(['A', 'C', 'D'])
  expect(isOlder()).toBe(true)
  const items = [{ ...activity('1'), kind: 'dividend' }, activity('2')]
  const read = readAnswer(activityAnswer, { items, next: null, newer: false, seen: null })
  expect(read?.items.map(({ id }) => id)).toEqual(['2'])
})

test('a position with a word that qualifies it in an unknown way is left out: it would be taken for another', async () => {
  const { readAnswer } = await newPage()
  const positions = [position('1', { struck: 'partly' }), position('2')]
  expect(readAnswer(positionsAnswer, { positions })?.positions.map(({ id }) => id)).toEqual(['2'])
})

test('a hold length and a state of a subscription that are not known are kept as they are written', async () => {
  const { readAnswer } = await newPage()
  const read = readAnswer(positionsAnswer, { positions: [position('1', { holdLength: 'one_day' })] })
  expect(read?.positions[0]?.holdLength).toBe('one_day')
  const subscription = {
    id: '1',
    username: 'maria',
    status: 'disputed',
    mailEnabled: true,
    endsAt: null,
    currentPeriodEnd: null,
    startedAt: at,
    priceCents: 1000,
    currency: 'usd',
  }
  const own = { subscriptions: [subscription], mailsRefused: 'full' }
  expect(readAnswer(subscriptionsAnswer, own)).toEqual(own)
})

test('a value that is no list, or lacks a required part, is no answer', async () => {
  const { readAnswer, isOlder } = await newPage()
  expect(readAnswer(marksAnswer, { marks: 'none' })).toBeNull()
  expect(readAnswer(pricePreview, { prize: 1 })).toBeNull()
  expect(readAnswer(feedMessage, { type: 'halted', symbol: 'AAPL' })).toBeNull()
  const opened = { type: 'opened', at, position: position('1', { struck: 'partly' }) }
  expect(readAnswer(feedMessage, opened)).toBeNull()
  expect(isOlder()).toBe(false)
})

function activity(id: string) {
  return {
    id,
    kind: 'opened',
    at,
    trader: 'maria',
    own: false,
    unread: false,
    positionId: id,
    symbol: 'AAPL',
    holdLength: 'one_to_three_weeks',
    openPrice: 100,
    openedAt: at,
    openNotes: 'Why it was opened.',
  }
}
