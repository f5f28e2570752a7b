import { expect, test } from 'vitest'
import type { PayoutAccount } from '../payouts/payout-accounts.queries.ts'
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
  taxReady: null,
  syncedAt: BEGAN,
  revision: 1,
} as const
const pastDue = {
  id: 'sub_1',
  customerId: 'cus_1',
  pair,
  checkoutId: null,
  termsVersion: null,
  status: 'past_due',
  neverBegan: false,
  endedUnpaid: false,
  createdAt: BEGAN,
  startedAt: BEGAN,
  endedAt: null,
  currentPeriodEnd: new Date('2026-04-02T10:00:00Z'),
  cancelAt: null,
  canceledAt: null,
  itemId: 'si_1',
  productId: 'prod_1',
  priceCents: 1000,
  currency: 'usd',
  interval: 'month',
  feePercent: 10,
  destination: ready.stripeAccountId,
  paused: false,
  pausedForPayouts: false,
  endReason: null,
  latestInvoiceId: null,
  trialEnd: null,
  paymentMethodId: null,
  discounts: [],
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
    startedAt: BEGAN,
    cancelAt: null,
    price: { priceCents: 1000, kept: null, agreement: null },
  } as const
  const suspended = { trader: null, subscriber: null }
  const closed = suspended
  const facts = { pair, subscription: pastDue, invoices: [], row, payouts: ready, suspended, closed, owed }
  const { owes, reason, status } = judgeSubscription(
    { ...facts, isDouble: false, isTrialRefused: false, pastDueDays: 21, present: null },
    NOW,
  )
  return { reason, status, debts: owes.map(({ kind }) => kind) }
}

const DISPUTED = {
  id: 'in_1',
  subscriptionId: pastDue.id,
  status: 'paid',
  subtotalCents: 1000,
  amountDueCents: 1000,
  amountPaidCents: 1000,
  currency: 'usd',
  periodStart: BEGAN,
  periodEnd: pastDue.currentPeriodEnd,
  createdAt: BEGAN,
  attempts: 1,
  discountIds: [],
  nextAttemptAt: null,
  isRenewal: false,
  problem: null,
  payment: {
    paymentId: 'pi_1',
    chargeId: 'ch_1',
    paidAt: BEGAN,
    paidCents: 1000,
    refundedCents: 0,
    transfer: { id: 'tr_1', destination: ready.stripeAccountId, amountCents: 1000, reversedCents: 0 },
    feeCents: 100,
    feeRefundedCents: 0,
    feeId: null,
    tax: null,
    disputed: true,
  },
} as const

/** Judges a subscription that is paid for. @param changes what differs from one of which all is well */
function judgePaid({
  destination = ready.stripeAccountId,
  dispute,
  payouts,
}: {
  destination?: string | null
  dispute?: string
  payouts?: Partial<PayoutAccount> | null
}) {
  const { owes, reason, status } = judgeSubscription(
    {
      pair,
      subscription: { ...pastDue, status: 'active', destination },
      invoices: dispute
        ? [
            {
              ...DISPUTED,
              dispute: { id: 'du_1', status: dispute, amountCents: 1000, createdAt: BEGAN, takenAt: BEGAN },
            },
          ]
        : [],
      row: {
        ...{ id: 'row', stripeId: 'sub_1', status: 'active', endReason: null },
        ...{ pastDueSince: null, currency: 'usd', startedAt: BEGAN, cancelAt: null },
        price: { priceCents: 1000, kept: null, agreement: null },
      },
      payouts: payouts === null ? null : { ...ready, ...payouts },
      suspended: { trader: null, subscriber: null },
      closed: { trader: null, subscriber: null },
      owed: { kind: 'nothing' },
      isDouble: false,
      isTrialRefused: false,
      pastDueDays: 21,
      present: null,
    },
    NOW,
  )
  return { reason, status, debts: owes.map(({ kind }) => kind) }
}

const goesOn = { reason: null, status: 'active', debts: [] }
const isUnavailable = { reason: 'trader_unavailable', status: 'canceled', debts: ['end', 'void'] }

test('an inquiry of a bank is no chargeback, and a dispute that was prevented is none either', () => {
  for (const status of ['warning_needs_response', 'warning_under_review', 'warning_closed', 'prevented'])
    expect(judgePaid({ dispute: status }), status).toEqual(goesOn)
  for (const status of ['needs_response', 'under_review', 'lost'])
    expect(judgePaid({ dispute: status }), status).toEqual({
      ...{ reason: 'dispute', status: 'canceled' },
      debts: ['end', 'void', 'reversal'],
    })
})

test('a closed account ends a subscription at once, however long payouts were there', () => {
  expect(judgePaid({ payouts: {} })).toEqual(goesOn)
  expect(judgePaid({ payouts: { closedAt: NOW } })).toEqual(isUnavailable)
})

test('a subscription whose money would go to another account than the trader’s ends', () => {
  for (const destination of ['acct_2', null])
    expect(judgePaid({ destination }), String(destination)).toEqual(isUnavailable)
  expect(judgePaid({ payouts: { stripeAccountId: 'acct_2' } })).toEqual(isUnavailable)
  expect(judgePaid({ payouts: null })).toEqual(isUnavailable)
})

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
