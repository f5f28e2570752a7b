import { expect, test } from 'vitest'
import { judgeSubscription, type Owed } from './judge-subscription.ts'

const NOW = new Date('2026-03-31T10:00:00Z')
const pair = { traderId: 'trader', subscriberId: 'subscriber' }
const BEGAN = new Date('2026-01-02T10:00:00Z')
const ready = {
  userId: pair.traderId,
  stripeAccountId: 'acct_1',
  generation: 0,
  state: 'ready',
  transfersStatus: 'active',
  country: null,
  reason: null,
  completeAt: BEGAN,
  lostAt: null,
  closedAt: null,
  rejectedAt: null,
  syncedAt: BEGAN,
  revision: 1,
} as const
const pastDue = {
  id: 'sub_1',
  customerId: 'cus_1',
  pair,
  checkoutId: null,
  status: 'past_due',
  neverBegan: false,
  endedUnpaid: false,
  createdAt: BEGAN,
  startedAt: BEGAN,
  endedAt: null,
  currentPeriodEnd: new Date('2026-04-02T10:00:00Z'),
  cancelAt: null,
  priceCents: 1000,
  currency: 'usd',
  feePercent: 10,
  destination: ready.stripeAccountId,
  paused: false,
  pausedForPayouts: false,
  endReason: null,
  latestInvoiceId: null,
} as const

/** Judges a subscription that the last run stored as past due since `stored`. */
function judgeOwing(owed: Owed, stored: Date, endReason: 'unpaid' | null = null) {
  const row = {
    id: 'row',
    stripeId: 'sub_1',
    status: 'past_due',
    endReason,
    pastDueSince: stored,
    currency: 'usd',
  } as const
  const suspended = { trader: null, subscriber: null }
  const facts = { pair, subscription: pastDue, invoices: [], row, payouts: ready, suspended, owed }
  const { owes, reason, status } = judgeSubscription({ ...facts, isDouble: false, pastDueDays: 21 }, NOW)
  return { reason, status, debts: owes.map(({ kind }) => kind) }
}

const LONG_AGO = new Date('2026-03-01T10:00:00Z')
const LATELY = new Date('2026-03-30T10:00:00Z')
const stays = { reason: null, status: 'past_due', debts: [] }
const ends = { reason: 'unpaid', status: 'canceled', debts: ['end', 'void'] }

test('a subscription whose invoice was paid after it was read as past due does not end as unpaid', () => {
  expect(judgeOwing({ kind: 'nothing' }, LONG_AGO)).toEqual(stays)
})

test('a subscription about whose invoices Stripe does not answer is judged by the date that was stored', () => {
  expect(judgeOwing({ kind: 'unread' }, LONG_AGO)).toEqual(ends)
  expect(judgeOwing({ kind: 'unread' }, LATELY)).toEqual(stays)
})

test("the date of Stripe's oldest owed invoice counts, whatever was stored", () => {
  expect(judgeOwing({ kind: 'since', instant: LONG_AGO }, LATELY)).toEqual(ends)
  expect(judgeOwing({ kind: 'since', instant: LATELY }, LONG_AGO)).toEqual(stays)
})

test('a subscription whose end was decided before is still to be ended while Stripe has it live', () => {
  expect(judgeOwing({ kind: 'unread' }, LONG_AGO, 'unpaid')).toEqual(ends)
})
