import type { TrackClose, TrackRecord } from '@tradepost/contract/track-record'
import { expect, test } from 'vitest'
import { closesBySession, closesText, dayText, periodsOf, sentenceOf } from './track-words.ts'

const DAYS = [
  { day: '2026-10-29', level: 0, index: 0 },
  { day: '2026-10-30', level: 10, index: -1 },
  { day: '2026-11-02', level: 5.5, index: 0 },
  { day: '2026-11-03', level: 21, index: 1 },
]

function closeAt(closed: string, gain: number, symbol = 'AAPL'): TrackClose {
  return { symbol, opened: '2026-10-20T15:00:00.000Z', closed, gain }
}

function trackOf(part: Partial<TrackRecord> = {}): TrackRecord {
  return {
    asOf: '2026-11-03',
    indexSymbol: 'SPY',
    withOpen: false,
    days: DAYS,
    closedBefore: 0,
    drawdown: { fall: -4.09, from: '2026-10-30', to: '2026-11-02' },
    allIn: null,
    versusIndex: null,
    closes: [
      closeAt('2026-10-30T15:00:00.000Z', 3),
      closeAt('2026-10-31T12:00:00.000Z', -2, 'KO'),
      closeAt('2026-11-02T23:30:00.000Z', 0, 'MSFT'),
    ],
    moreCloses: 0,
    ...part,
  }
}

test('the sentence has both gains, the deepest fall and how the closes ended', () => {
  expect(sentenceOf(trackOf())).toBe(
    'From Oct 29, 2026 to Nov 3, 2026, equal stakes in the positions of each day, open ones left out until they are public, brought +21.00%, SPY +1.00%, with a deepest fall of 4.09% from Oct 30, 2026 to Nov 2, 2026. 3 positions were closed: 1 with a gain, 1 with a loss, 1 with neither.',
  )
  expect(sentenceOf(trackOf({ drawdown: null, closes: [closeAt('2026-10-30T15:00:00.000Z', 3)] }))).toBe(
    'From Oct 29, 2026 to Nov 3, 2026, equal stakes in the positions of each day, open ones left out until they are public, brought +21.00%, SPY +1.00%. One position was closed: 1 with a gain.',
  )
  expect(sentenceOf(trackOf({ drawdown: { fall: 0, from: '', to: '' }, closes: [] }))).toBe(
    'From Oct 29, 2026 to Nov 3, 2026, equal stakes in the positions of each day, open ones left out until they are public, brought +21.00%, SPY +1.00%, and never fell below a level that it had reached. No position was closed.',
  )
  expect(sentenceOf(trackOf({ drawdown: null, moreCloses: 7 }))).toContain(
    '10 positions were closed; of the newest 3, 1 with a gain, 1 with a loss, 1 with neither.',
  )
  expect(sentenceOf(trackOf({ withOpen: true }))).toContain(
    'equal stakes in the positions of each day, open ones too, brought +21.00%, SPY +1.00%',
  )
  expect(sentenceOf(trackOf({ days: [] }))).toBeNull()
})

test('a close after a session or on a weekend belongs to the next session, one of the last evening to the last', () => {
  const bySession = closesBySession(
    trackOf({ closes: [...trackOf().closes, closeAt('2026-11-03T23:59:00.000Z', 1, 'V')] }),
  )
  const symbols = [...bySession].map(([nth, closes]) => [nth, ...closes.map(({ symbol }) => symbol)])
  expect(symbols).toEqual([
    [1, 'AAPL'],
    [2, 'KO', 'MSFT'],
    [3, 'V'],
  ])
})

test('the table has what each month brought by itself, and in three months each week', () => {
  expect(
    periodsOf(trackOf(), 'all').map(({ from, to, level, closed }) => [from, to, Number(level), closed]),
  ).toEqual([
    ['2026-11-02', '2026-11-03', 10, '1 with a loss, 1 with neither'],
    ['2026-10-30', '2026-10-30', 10, '1 with a gain'],
  ])
  expect(Number(periodsOf(trackOf(), 'all')[1]?.index)).toBe(-1)
  expect(periodsOf(trackOf(), '3m').map(({ from }) => from)).toEqual(['2026-11-02', '2026-10-30'])
  expect(periodsOf(trackOf({ days: [] }), 'all')).toEqual([])
})

test('a whole month in the table is that of the grid of months, which is made of more decimals', () => {
  const months = [
    { month: '2026-10', level: 10.01, index: -1.02 },
    { month: '2026-11', level: 10.01, index: 2.03 },
  ]
  const rows = (track: TrackRecord, range: 'all' | '3m') =>
    periodsOf(track, range).map(({ from, level, index }) => [from, Number(level), Number(index).toFixed(2)])
  // October begins with the curve, on its 29th.
  expect(rows(trackOf({ months }), 'all')).toEqual([
    ['2026-11-02', 10.01, '2.03'],
    ['2026-10-30', 10, '-1.00'],
  ])
  expect(rows(trackOf({ months }), '3m')[0]).toEqual(['2026-11-02', 10, '2.02'])
})

test('a session is read with its day, both levels and what was closed in it', () => {
  expect(dayText({ day: '2026-11-02', level: 5.5, index: 0 }, 'SPY')).toBe('Nov 2, 2026: +5.50%, SPY 0.00%')
  const closes = ['A', 'B', 'C', 'D'].map((symbol) => closeAt('2026-11-02T15:00:00.000Z', -1.5, symbol))
  expect(closesText(closes.slice(0, 1))).toBe('A closed at -1.50%, opened Oct 20, 2026')
  expect(closesText(closes)).toBe(
    'A closed at -1.50%, opened Oct 20, 2026; B closed at -1.50%, opened Oct 20, 2026; 2 more closed',
  )
  expect(closesText([])).toBe('')
})
