import { SUBSCRIPTION_STATUSES, type SubscriptionStatus } from '@tradepost/contract/subscriptions'
import { expect, test } from 'vitest'
import { renewalText, statusText } from './subscription-texts.ts'

const END = '2026-12-18T12:00:00.000Z'
const texts: Record<SubscriptionStatus, string> = {
  incomplete: 'Payment problem',
  trialing: 'Active',
  active: 'Active',
  past_due: 'Payment problem',
  unpaid: 'Payment problem',
  paused: 'Payment problem',
  canceled: 'Ended',
}

test.each(SUBSCRIPTION_STATUSES)(
  'the status %s has its words, and its renewal only where one is coming',
  (status) => {
    expect(statusText({ status, endsAt: null })).toBe(texts[status])
    const renewal = renewalText({ status, endsAt: null, currentPeriodEnd: END })
    expect(renewal).toBe(texts[status] === 'Active' ? 'Dec 18, 2026' : null)
  },
)

test('a subscription whose trader cannot be paid is shown as not charged', () => {
  expect(renewalText({ status: 'active', endsAt: null, currentPeriodEnd: null })).toBe('Not charged for now')
  expect(renewalText({ status: 'canceled', endsAt: null, currentPeriodEnd: null })).toBeNull()
})

test('a subscription that was canceled shows when it ends, and renews no more', () => {
  expect(statusText({ status: 'active', endsAt: END })).toBe('Ends on Dec 18, 2026')
  expect(renewalText({ status: 'active', endsAt: END, currentPeriodEnd: END })).toBeNull()
  expect(statusText({ status: 'past_due', endsAt: END })).toBe('Payment problem')
  expect(statusText({ status: 'canceled', endsAt: END })).toBe('Ended')
})
