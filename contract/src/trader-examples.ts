import { ABOUT } from './account-examples.ts'
import type { Examples } from './example.ts'
import { CLOSE_NOTES, closed, OPEN_NOTES } from './example-position.ts'

/** As a page before would have ended. */
const CLOSED_CURSOR = 'Z2FpbiBkZXNjIDEyLjA1MDAwMDAwMDAwMCAwMTlhYTFjMi0xZjBhLTdkNTItYjZjMS0wZTdmM2E5YjRjMjA'

/** Of following somebody. */
const PRICE = { priceCents: 1500, yearlyCents: 15_000, currency: 'usd' }

/** Of calls about traders and lists of them. */
export const traderExamples = {
  suggestions: {
    query: { username: 'mar' },
    answer: {
      match: 'beginning',
      traders: [{ username: 'maria', averageGain: '4.31', ...PRICE }],
    },
  },
  symbols: {
    query: { query: 'appl' },
    answer: { symbols: [{ symbol: 'AAPL', name: 'Apple Inc' }] },
  },
  search: {
    query: { username: 'maria' },
    answer: {
      username: 'maria',
      openPositions: 3,
      closedPositions: 25,
      averageProfit: 4.31,
      isSelf: false,
      canSubscribe: true,
      isSubscribed: false,
      since: '2026-04-08',
      ...PRICE,
    },
  },
  profile: {
    query: { username: 'maria' },
    answer: {
      username: 'maria',
      openPositions: 3,
      closedPositions: 25,
      averageProfit: 4.31,
      canSubscribe: true,
      isSubscribed: false,
      isSelf: false,
      suspended: false,
      publicPage: true,
      latestPositions: [
        {
          symbol: 'AAPL',
          opened: '2026-11-18T15:04:12.318Z',
          closed: '2026-11-27T18:40:05.120Z',
          percentageGain: 7.24,
          companyName: 'Apple Inc',
        },
      ],
      pastPlan: [
        {
          symbol: 'MSFT',
          companyName: 'Microsoft Corp',
          opened: '2026-10-27T14:31:07.412Z',
          openPrice: 478.2,
          gain: -3.4,
          at: '2026-11-27T18:39:30.000Z',
          publicAt: '2026-11-18T14:31:07.412Z',
        },
      ],
      morePastPlan: 0,
      record: {
        closed: 25,
        wins: { count: 16, of: 25 },
        average: 4.31,
        median: 3.02,
        best: 41.7,
        worst: -12.05,
        medianDaysHeld: 11,
        plansKept: { count: 21, of: 26 },
      },
      since: '2026-04-08',
      about: ABOUT,
      followers: 28,
      ...PRICE,
      trialDays: 7 as const,
    },
  },
  closedPositions: {
    params: { username: 'maria' },
    query: { sort: 'gain', order: 'desc', symbol: 'AAPL', month: '2026-11', after: CLOSED_CURSOR },
    answer: {
      positions: [
        {
          id: closed.id,
          symbol: 'AAPL',
          companyName: 'Apple Inc',
          holdLength: 'one_to_three_weeks',
          openPrice: 187.52,
          closePrice: 201.1,
          opened: '2026-11-18T15:04:12.318Z',
          closed: '2026-11-27T18:40:05.120Z',
          percentageGain: 7.24,
          daysHeld: 9,
          notes: { open: OPEN_NOTES, close: CLOSE_NOTES },
        },
        {
          id: '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c22',
          symbol: 'MSFT',
          holdLength: 'one_to_three_weeks',
          openPrice: 48,
          closePrice: 478.2,
          opened: '2026-11-17T15:30:41.005Z',
          closed: '2026-11-18T15:01:07.412Z',
          percentageGain: 896.25,
          daysHeld: 0,
          struck: true,
          struckReason: 'It was opened at a price at which nobody traded.',
        },
      ],
      next: null,
    },
  },
  positionHistory: {
    params: { username: 'maria', id: closed.id },
    answer: {
      history: [
        { kind: 'opened', at: '2026-11-18T15:04:12.318Z', price: 187.52 },
        {
          kind: 'closed',
          at: '2026-11-28T18:40:05.120Z',
          by: 'trader',
          settled: false,
          tradedAt: '2026-11-27T17:59:58.000Z',
        },
        { kind: 'settled', at: '2026-11-30T14:30:21.000Z', price: 2011, by: 'trade' },
        {
          kind: 'corrected',
          at: '2026-11-30T16:10:40.511Z',
          end: 'close',
          priceBefore: 2011,
          price: 201.1,
          reason: 'Nobody traded at that price.',
        },
      ],
      receipts: [{ index: 22_980, size: 22_981, receipt: 'AQECAACl…' }],
    },
  },
  trackRecord: {
    params: { username: 'maria' },
    query: { range: '1y' },
    answer: {
      asOf: '2026-12-01',
      indexSymbol: 'SPY',
      withOpen: false,
      days: [
        { day: '2026-11-17', level: 0, index: 0 },
        { day: '2026-11-18', level: 0.41, index: 0.12 },
        { day: '2026-12-01', level: 7.24, index: 1.07 },
      ],
      months: [
        { month: '2026-10', level: null, index: -0.84 },
        { month: '2026-11', level: 6.1, index: 0.95 },
        { month: '2026-12', level: 1.07, index: 0.12 },
      ],
      closedBefore: 0,
      drawdown: { fall: -3.18, from: '2026-11-20', to: '2026-11-24' },
      allIn: { mean: 4.02, closed: 25, open: 1, stale: 0 },
      versusIndex: { mean: 3.27, positions: 25, missing: 0 },
      closes: [
        {
          symbol: 'AAPL',
          opened: '2026-11-18T15:04:12.318Z',
          closed: '2026-11-27T18:40:05.120Z',
          gain: 7.24,
        },
      ],
      moreCloses: 0,
    },
  },
  leaderboard: {
    answer: {
      leaderboard: [
        {
          username: 'maria',
          averageGain: '4.31',
          closed: 25,
          wins: 16,
          sparkline: [100, 101.3, 100.8, 106.1],
        },
        { username: 'jonas', averageGain: '-0.72', closed: 3, wins: null },
      ],
      own: {
        username: 'fan',
        averageGain: '-1.05',
        closed: 7,
        wins: 2,
        isSelf: true,
        rank: 214,
        ranked: 1032,
      },
    },
  },
  offered: {
    answer: {
      traders: [
        {
          username: 'maria',
          averageGain: '4.31',
          closed: 25,
          wins: 16,
          sparkline: [100, 101.3, 100.8, 106.1],
          ...PRICE,
        },
      ],
    },
  },
  proven: {
    answer: {
      asOf: '2026-11-17',
      formula: 3,
      entries: [
        {
          username: 'maria',
          low: '0.42',
          middle: '1.31',
          high: '2.20',
          provisional: false,
          closed: 25,
          open: 4,
          overdue: 1,
          averageGain: '4.31',
        },
      ],
      own: {
        username: 'fan',
        low: '-2.10',
        middle: '-0.35',
        high: '1.40',
        provisional: true,
        closed: 7,
        open: 1,
        overdue: 0,
        averageGain: '-1.05',
        isSelf: true,
        rank: 214,
        ranked: 1032,
      },
    },
  },
} satisfies Partial<Examples>
