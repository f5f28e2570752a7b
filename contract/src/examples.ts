import { accountExamples } from './account-examples.ts'
import type { Examples } from './example.ts'
import { CLOSE_NOTES, closed, OPEN_NOTES, position } from './example-position.ts'
import { traderExamples } from './trader-examples.ts'

const PREVIEW_KEY = 'p3Qm0d1Zr8WfK5xV7uTn2bYc9LhJ4sAgE6iRoPqXkMw'

const ACTIVITY_CURSOR =
  'MjAyNi0xMS0yN1QxODo0MDowNS4xMjAwMDBaIDAxOWFhMWMyLTFmMGEtN2Q1Mi1iNmMxLTBlN2YzYTliNGMyMSA0Mw'

const ACTIVITY_SEEN = 'MDE5YWExYzItMWYwYS03ZDUyLWI2YzEtMGU3ZjNhOWI0YzIxIDQy'

/** Of calls about positions and their events. */
const positionExamples = {
  preview: {
    body: { symbol: 'AAPL' },
    answer: {
      price: '187.52',
      key: PREVIEW_KEY,
      symbol: 'AAPL',
      expiresAt: '2026-11-18T15:05:50.000Z',
      expiresInSeconds: 120,
      tradedAt: '2026-11-17T20:59:58.000Z',
      settled: false,
    },
  },
  openPosition: {
    body: {
      symbol: 'AAPL',
      key: PREVIEW_KEY,
      openNotes: OPEN_NOTES,
      positionLength: 'one_to_three_weeks',
    },
    answer: { position },
  },
  closePosition: {
    body: { symbol: 'AAPL', closeNotes: CLOSE_NOTES, key: PREVIEW_KEY },
    answer: { position: closed },
  },
  positions: { answer: { positions: [position] } },
  marks: {
    answer: {
      marks: [
        { symbol: 'AAPL', price: '191.08', at: '2026-11-18T15:05:31.000Z', state: 'current' },
        { symbol: 'MSFT', price: '478.2', at: '2026-11-18T15:01:07.000Z', state: 'aged' },
        { symbol: 'NVDA', price: null, at: null, state: 'waiting' },
      ],
    },
  },
  activity: {
    query: { after: ACTIVITY_CURSOR, item: 'maria.42', trader: 'maria' },
    answer: {
      items: [
        {
          id: 'maria.42',
          kind: 'closed',
          at: '2026-11-27T18:40:05.120Z',
          trader: 'maria',
          own: false,
          unread: true,
          positionId: closed.id,
          symbol: 'AAPL',
          companyName: 'Apple Inc',
          holdLength: 'one_to_three_weeks',
          openPrice: 187.52,
          openedAt: '2026-11-18T15:04:12.318Z',
          openNotes: OPEN_NOTES,
          close: { price: 201.1, percentageGain: 7.24, notes: CLOSE_NOTES },
          mailedAfterSeconds: 3,
        },
      ],
      next: null,
      newer: true,
      seen: ACTIVITY_SEEN,
    },
  },
  unreadActivity: { answer: { unread: 1 } },
  markActivityRead: { body: { seen: ACTIVITY_SEEN }, answer: { unread: 0 } },
  mailings: {
    answer: {
      events: [
        {
          id: 'maria.42',
          kind: 'closed',
          at: '2026-11-27T18:40:05.120Z',
          symbol: 'AAPL',
          mailing: { sent: 412, done: true, halfSeconds: 2, mostSeconds: 3.1 },
        },
      ],
    },
  },
  feed: { answer: { type: 'opened', at: position.openedAt, position } },
  feedVersion: { answer: { version: 'xwLEwbD5Z5oPqTKlqXl2Vg' } },
} satisfies Partial<Examples>

/** One example a call. A test holds each to the schemas and rules that the call itself is held to. */
export const examples: Examples = { ...accountExamples, ...traderExamples, ...positionExamples }
