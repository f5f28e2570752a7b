import type { ActivityItem } from '../../contract/src/activity.ts'
import type { HistoryEntry } from '../../contract/src/position-history.ts'

/** The last trade of the day before the pictures: Wednesday, 15:00 UTC. */
export const OLD_TRADE = '2026-11-17T20:59:58.000Z'

/** Samples of positions whose prices are not fresh, or were set right, as in their histories and in Activity. */
export const OPENED = { kind: 'opened', at: '2026-11-02T15:10:00.000Z', price: 1875.2 } as const
const UNSETTLED = {
  kind: 'closed',
  at: '2026-11-14T09:30:00.000Z',
  by: 'trader',
  settled: false,
  tradedAt: '2026-11-13T20:59:58.000Z',
} as const
export const WAITING: HistoryEntry[] = [OPENED, { ...UNSETTLED, price: 201.1 }]
export const LONG: HistoryEntry[] = [
  OPENED,
  {
    kind: 'split',
    at: '2026-11-05T08:00:00.000Z',
    newShares: 10,
    oldShares: 1,
    priceBefore: 1875.2,
    price: 187.52,
  },
  { kind: 'renamed', at: '2026-11-09T08:00:00.000Z', symbolBefore: 'FB', symbolAfter: 'META' },
  UNSETTLED,
  { kind: 'settled', at: '2026-11-16T14:30:21.000Z', price: 2011, by: 'trade' },
  {
    kind: 'corrected',
    at: '2026-11-16T16:10:40.511Z',
    end: 'close',
    priceBefore: 2011,
    price: 201.1,
    reason:
      'The provider sent a price at which nobody traded; the first trade after the close was at $201.10.',
  },
]
export const waiting = { settled: false, openPrice: 187.52, closePrice: 201.1, percentageGain: 7.24 } as const

const shared = (own: boolean) =>
  ({
    trader: 'maria',
    own,
    unread: false,
    positionId: '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21',
    symbol: 'AAPL',
    companyName: 'Apple Inc',
    holdLength: 'one_to_three_weeks',
    openPrice: 187.52,
    openedAt: '2026-11-02T15:10:00.000Z',
    openNotes: 'Services now make a third of the profit, and the multiple has not moved.',
  }) as const satisfies Partial<ActivityItem>

/** Items of Activity with every kind of price. */
export const priceItems = (own: boolean): ActivityItem[] => [
  {
    ...shared(own),
    id: 'maria.11',
    kind: 'adjusted',
    at: '2026-11-18T14:50:00.000Z',
    strike: { reason: 'Nobody could trade there.' },
  },
  {
    ...shared(own),
    id: 'maria.10',
    kind: 'adjusted',
    at: '2026-11-18T14:45:00.000Z',
    symbol: 'META',
    companyName: 'Meta Platforms Inc',
    rename: { symbolBefore: 'FB', symbolAfter: 'META' },
  },
  {
    ...shared(own),
    id: 'maria.9',
    kind: 'adjusted',
    at: '2026-11-18T14:40:00.000Z',
    correction: {
      end: 'close',
      priceBefore: 2011,
      price: 201.1,
      reason: 'The provider sent a price at which nobody traded.',
    },
    ...(own ? {} : { mailedAfterSeconds: 3 }),
  },
  {
    ...shared(own),
    id: 'maria.8',
    kind: 'settled',
    at: '2026-11-18T14:30:21.000Z',
    settlement: { price: 201.1, percentageGain: 7.24, by: 'trade' },
  },
  {
    ...shared(own),
    id: 'maria.7',
    kind: 'settled',
    at: '2026-11-18T14:30:20.000Z',
    symbol: 'KO',
    companyName: 'Coca-Cola Co',
    settlement: { price: 61.2, percentageGain: -3.1, by: 'last_price' },
  },
  {
    ...shared(own),
    id: 'maria.6',
    kind: 'closed',
    at: '2026-11-17T23:30:00.000Z',
    close: {
      price: 201.1,
      percentageGain: 7.24,
      notes: 'The results are out. Taking the profit.',
      settled: false,
      tradedAt: OLD_TRADE,
    },
    ...(own
      ? { mailing: { sent: 412, done: true, halfSeconds: 2, mostSeconds: 3.1 } }
      : { mailedAfterSeconds: 3 }),
  },
]
