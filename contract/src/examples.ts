import type * as z from 'zod/mini'
import type { Endpoint } from './endpoint.ts'
import type { endpoints } from './endpoints.ts'

/** What a call is sent and answers, as the API's document shows it. */
export type Example<E extends Endpoint = Endpoint> = Given<E, 'params'> &
  Given<E, 'query'> &
  Given<E, 'body'> & { answer: z.output<E['answer']> }

type Given<E, Part extends 'params' | 'query' | 'body'> =
  E extends Record<Part, infer Schema extends z.ZodMiniType> ? Record<Part, z.input<Schema>> : unknown

type Examples = { [Name in keyof typeof endpoints]: Example<(typeof endpoints)[Name]> }

const SUBSCRIPTION_ID = '019aa1c2-6d1f-7c3e-9a55-2f0f4f1f7a10'
const SESSION_ID = '019aa1c2-7be4-7a0d-8d7e-5b0f6c1d2e3f'
const DEVICE_ID = '019aa1c2-8c11-7f0e-9d21-6a0b4c3d2e1f'
const PUSH_KEY = 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4'
const PREVIEW_KEY = 'p3Qm0d1Zr8WfK5xV7uTn2bYc9LhJ4sAgE6iRoPqXkMw'
const OPEN_NOTES = 'Earnings beat with rising margins, and the guidance looks careful.'
const CLOSE_NOTES = 'Target reached before earnings.'

const position = {
  id: '019aa1c2-1f0a-7d52-b6c1-0e7f3a9b4c21',
  active: true,
  stock: 'AAPL',
  holdLength: 'one_to_three_weeks',
  openNotes: OPEN_NOTES,
  openPrice: 187.52,
  openedAt: '2026-11-18T15:04:12.318Z',
  user: 'maria',
  companyName: 'APPLE INC',
} as const

const closed = {
  ...position,
  active: false,
  closePrice: 201.1,
  closedAt: '2026-11-27T18:40:05.120Z',
  closeNotes: CLOSE_NOTES,
  percentageGain: 7.24,
} as const

/** As a page before would have ended. */
const CLOSED_CURSOR = 'Z2FpbiBkZXNjIDEyLjA1MDAwMDAwMDAwMCAwMTlhYTFjMi0xZjBhLTdkNTItYjZjMS0wZTdmM2E5YjRjMjA'

const ACTIVITY_CURSOR =
  'MjAyNi0xMS0yN1QxODo0MDowNS4xMjAwMDBaIDAxOWFhMWMyLTFmMGEtN2Q1Mi1iNmMxLTBlN2YzYTliNGMyMSA0Mw'
const ACTIVITY_SEEN = 'MDE5YWExYzItMWYwYS03ZDUyLWI2YzEtMGU3ZjNhOWI0YzIxIDQy'

const customer = { answer: { configured: true } }
const portal = { url: 'https://billing.stripe.com/p/session/test_YWNjdF8x' }

/** One example a call. A test holds each to the schemas and rules that the call itself is held to. */
export const examples: Examples = {
  configuration: {
    answer: { username: 'maria', trader: true, customer: false, email: 'maria@people.example' },
  },
  customer,
  setUpCustomer: customer,
  customerSession: { answer: portal },
  startOnboarding: { answer: { url: 'https://connect.stripe.com/setup/e/acct_1Qx/yT4' } },
  payoutDashboard: { answer: { url: 'https://connect.stripe.com/express/acct_1Qx/pR9' } },
  payoutStatus: { answer: { onboardComplete: true } },
  subscribers: { answer: { subscribers: 412 } },
  desk: {
    answer: {
      followers: 412,
      months: [
        { month: '2026-11', gained: 31, lost: 9 },
        { month: '2026-10', gained: 44, lost: 12 },
      ],
      income: [{ currency: 'usd', thisMonthCents: 370800, lastMonthCents: 351000, allCents: 2891700 }],
    },
  },
  payouts: {
    answer: {
      state: 'ready',
      balance: [{ currency: 'usd', availableCents: 0, pendingCents: 27900 }],
      coming: [{ id: 'po_1QxYz', amountCents: 12600, currency: 'usd', arrivesOn: '2026-11-26' }],
    },
  },
  newSubscription: {
    body: { username: 'maria' },
    answer: { url: 'https://checkout.stripe.com/c/pay/cs_test_a1B2c3' },
  },
  subscriptions: {
    answer: {
      subscriptions: [
        {
          id: SUBSCRIPTION_ID,
          username: 'maria',
          status: 'active',
          mailEnabled: true,
          endsAt: null,
          currentPeriodEnd: '2026-12-18T15:00:00.000Z',
          startedAt: '2026-11-18T15:00:00.000Z',
          priceCents: 1000,
          currency: 'usd',
        },
      ],
      mailsRefused: null,
    },
  },
  subscriptionCheck: {
    params: { id: 'maria' },
    answer: { subscribed: true, id: SUBSCRIPTION_ID, status: 'active' },
  },
  manageSubscription: { params: { id: SUBSCRIPTION_ID }, answer: portal },
  switchSubscriptionMail: {
    params: { id: SUBSCRIPTION_ID },
    body: { enabled: false },
    answer: { mailEnabled: false },
  },
  setUsername: { body: { username: 'maria' }, answer: { username: 'maria' } },
  sessions: {
    answer: {
      sessions: [
        {
          id: SESSION_ID,
          current: true,
          awaitsSecondStep: false,
          seenAt: '2026-11-18T15:05:00.000Z',
          seenFrom: { device: 'Chrome on Windows', network: '203.0.113.*' },
          signedInAt: '2026-11-18T09:12:44.000Z',
          signedInFrom: { device: 'Chrome on Windows', network: '203.0.113.*' },
        },
      ],
    },
  },
  endSession: { params: { id: SESSION_ID }, answer: { ok: true } },
  secondStep: { answer: { mailedCodeDue: false, recoveryCodesLeft: 9 } },
  makeRecoveryCodes: {
    answer: {
      codes: Array.from({ length: 10 }, (_, index) => `7KM29-XQR${index}W`),
    },
  },
  suggestions: {
    query: { username: 'mar' },
    answer: {
      match: 'beginning',
      traders: [{ username: 'maria', averageGain: '4.31' }],
    },
  },
  symbols: {
    query: { query: 'appl' },
    answer: { symbols: [{ symbol: 'AAPL', name: 'APPLE INC' }] },
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
      latestPositions: [
        {
          symbol: 'AAPL',
          opened: '2026-11-18T15:04:12.318Z',
          closed: '2026-11-27T18:40:05.120Z',
          percentageGain: 7.24,
          companyName: 'APPLE INC',
        },
      ],
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
      priceCents: 1000,
      currency: 'usd',
    },
  },
  closedPositions: {
    params: { username: 'maria' },
    query: { sort: 'gain', order: 'desc', symbol: 'AAPL', after: CLOSED_CURSOR },
    answer: {
      positions: [
        {
          id: closed.id,
          symbol: 'AAPL',
          companyName: 'APPLE INC',
          holdLength: 'one_to_three_weeks',
          openPrice: 187.52,
          closePrice: 201.1,
          opened: '2026-11-18T15:04:12.318Z',
          closed: '2026-11-27T18:40:05.120Z',
          percentageGain: 7.24,
          daysHeld: 9,
          notes: { open: OPEN_NOTES, close: CLOSE_NOTES },
        },
      ],
      next: null,
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
  preview: {
    body: { symbol: 'AAPL' },
    answer: { price: '187.52', key: PREVIEW_KEY, symbol: 'AAPL', expiresAt: '2026-11-18T15:05:50.000Z' },
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
    query: { after: ACTIVITY_CURSOR, item: 'maria.42' },
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
          companyName: 'APPLE INC',
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
  proven: {
    answer: {
      asOf: '2026-11-17',
      formula: 2,
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
  sendFeedback: { body: { feedback: 'The chart should show the opening price.' }, answer: { ok: true } },
  push: {
    answer: {
      publicKey: PUSH_KEY,
      devices: [
        {
          id: DEVICE_ID,
          current: true,
          device: 'Chrome on Android',
          since: '2026-11-18T15:00:00.000Z',
          failingSince: null,
        },
      ],
      traders: [{ id: SUBSCRIPTION_ID, username: 'maria', pushEnabled: true }],
    },
  },
  turnOnPush: {
    body: {
      endpoint: 'https://push.example/send/d4f0c2a9',
      keys: { p256dh: PUSH_KEY, auth: 'k8JV6sjdbhAi1n3_LDBLvA' },
      publicKey: PUSH_KEY,
    },
    answer: { id: DEVICE_ID, token: 'Yq3xW0n1b7cR5vTz8mKpL2sD4fGh6jQ9aEuIoXyNtBw' },
  },
  turnOffPush: { params: { id: DEVICE_ID }, answer: { ok: true } },
  switchSubscriptionPush: {
    params: { id: SUBSCRIPTION_ID },
    body: { enabled: false },
    answer: { pushEnabled: false },
  },
}
