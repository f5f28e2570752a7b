import { expect, test } from 'vitest'
import {
  type FollowedPrice,
  hasAgreed,
  isCharged,
  isCovered,
  mayRise,
  presentPrice,
  proposalOf,
  wantedCents,
} from './followers-price.ts'

const at = (day: string) => new Date(`${day}T10:00:00Z`)
/** Proposed on the 1st of March: the 31st is thirty days later. */
const PRESENT = { cents: 1500, since: at('2026-03-01') }
const PAYS_TEN: FollowedPrice = { priceCents: 1000, kept: null, agreement: null }
const AGREED: FollowedPrice = {
  priceCents: 1000,
  kept: { cents: 1000, since: at('2026-03-02') },
  agreement: { cents: 1500, proposedAt: PRESENT.since, from: at('2026-04-10'), chargedFrom: null },
}
const renewsOn = (day: string, rises = true) => ({ periodEnd: at(day), mayRise: rises })

test('a lower price is wanted at once, whatever was agreed to before', () => {
  const lower = { cents: 800, since: at('2026-03-05') }
  expect(wantedCents(PAYS_TEN, lower, renewsOn('2026-03-06'))).toBe(800)
  expect(wantedCents(AGREED, lower, renewsOn('2026-03-06', false))).toBe(800)
})

test('a higher price is wanted by nobody who has not agreed, whenever they renew', () => {
  for (const day of ['2026-03-10', '2026-04-10', '2027-04-10'])
    expect(wantedCents(PAYS_TEN, PRESENT, renewsOn(day))).toBe(1000)
})

test('an agreed price is wanted from the period on that ends at the renewal which was named', () => {
  expect(wantedCents(AGREED, PRESENT, renewsOn('2026-03-10'))).toBe(1000)
  expect(wantedCents(AGREED, PRESENT, renewsOn('2026-04-10'))).toBe(1500)
  expect(wantedCents(AGREED, PRESENT, { periodEnd: null, mayRise: true })).toBe(1000)
})

test('an agreed price waits while the subscription is to end, is paused or owes, and stays where it was put on', () => {
  expect(wantedCents(AGREED, PRESENT, renewsOn('2026-04-10', false))).toBe(1000)
  expect(wantedCents({ ...AGREED, priceCents: 1500 }, PRESENT, renewsOn('2026-04-10', false))).toBe(1500)
  const active = { status: 'active', cancelAt: null, paused: false }
  expect(mayRise(active)).toBe(true)
  expect(mayRise({ ...active, status: 'trialing' })).toBe(true)
  expect(mayRise({ ...active, status: 'past_due' })).toBe(false)
  expect(mayRise({ ...active, cancelAt: at('2026-04-10') })).toBe(false)
  expect(mayRise({ ...active, paused: true })).toBe(false)
})

test('an agreement to a price that was replaced holds for none', () => {
  const risen = { ...AGREED, priceCents: 1500 }
  const higher = { cents: 2000, since: at('2026-03-05') }
  expect(wantedCents(AGREED, higher, renewsOn('2026-04-10'))).toBe(1000)
  expect(wantedCents(risen, higher, renewsOn('2026-04-10'))).toBe(1000)
  // The same amount again is another proposal: in between it was withdrawn.
  const again = { cents: 1500, since: at('2026-03-05') }
  expect(wantedCents(risen, again, renewsOn('2026-04-10'))).toBe(1000)
  expect(hasAgreed(AGREED, again)).toBe(false)
  // The trader has no price of this interval any more.
  expect(wantedCents(risen, null, renewsOn('2026-04-10'))).toBe(1000)
})

test('an agreement that was taken back after Stripe had its price leads back to what was kept', () => {
  const back = { ...AGREED, priceCents: 1500, agreement: null }
  expect(wantedCents(back, PRESENT, renewsOn('2026-04-10'))).toBe(1000)
})

test('a price that somebody lowered at Stripe is raised by nothing that is kept', () => {
  const lowered = { ...AGREED, priceCents: 500, agreement: null }
  expect(wantedCents(lowered, PRESENT, renewsOn('2026-04-10'))).toBe(500)
  expect(wantedCents(lowered, null, renewsOn('2026-04-10'))).toBe(500)
})

test('an agreed price is charged once the period has passed in which it was put on', () => {
  const risen = {
    ...AGREED,
    priceCents: 1500,
    agreement: AGREED.agreement && { ...AGREED.agreement, chargedFrom: at('2026-04-10') },
  }
  expect(isCharged(risen, PRESENT, at('2026-04-10'))).toBe(false)
  expect(isCharged(risen, PRESENT, at('2026-05-10'))).toBe(true)
  expect(isCharged({ ...risen, priceCents: 1000 }, PRESENT, at('2026-05-10'))).toBe(false)
  expect(isCharged({ ...risen, agreement: null }, PRESENT, at('2026-05-10'))).toBe(false)
  // Replaced before that renewal: it was charged without an agreement. Replaced after it: with one.
  expect(isCharged(risen, { cents: 2000, since: at('2026-04-01') }, at('2026-05-10'))).toBe(false)
  expect(isCharged(risen, { cents: 2000, since: at('2026-04-11') }, at('2026-05-10'))).toBe(true)
  expect(isCovered(risen, { cents: 2000, since: at('2026-04-11') }, at('2026-04-10'))).toBe(true)
  expect(isCovered(risen, null, at('2026-04-10'))).toBe(false)
})

test('a year has its price apart from the month, and only in the currency that was named', () => {
  const named = {
    ...{ monthlyCents: 1500, yearlyCents: 12_000, currency: 'usd' },
    ...{ monthlySince: at('2026-03-01'), yearlySince: at('2026-03-05') },
  }
  const settings = { subscriptionCurrency: 'usd' }
  expect(presentPrice(named, { interval: 'year', currency: 'usd' }, settings)).toEqual({
    cents: 12_000,
    since: at('2026-03-05'),
  })
  expect(presentPrice(named, { interval: 'month', currency: 'usd' }, settings)).toEqual({
    cents: 1500,
    since: at('2026-03-01'),
  })
  expect(presentPrice(named, { interval: 'month', currency: 'eur' }, settings)).toBeNull()
  expect(
    presentPrice(named, { interval: 'month', currency: 'usd' }, { subscriptionCurrency: 'eur' }),
  ).toBeNull()
  const noYear = { ...named, yearlyCents: null, yearlySince: null }
  expect(presentPrice(noYear, { interval: 'year', currency: 'usd' }, settings)).toBeNull()
})

const follow = { interval: 'month', anchor: at('2026-01-10'), periodEnd: at('2026-03-10') } as const

test('a proposal names the first renewal that is thirty days after it, on the day of the month that Stripe renews', () => {
  const from = (periodEnd: string, anchor: string, interval: 'month' | 'year' = 'month') =>
    proposalOf(
      PAYS_TEN,
      PRESENT,
      { interval, anchor: at(anchor), periodEnd: at(periodEnd) },
      at('2026-03-02'),
    )?.from
  expect(from('2026-03-10', '2026-01-10')).toBe('2026-04-10T10:00:00.000Z')
  expect(from('2026-03-31', '2026-01-31')).toBe('2026-03-31T10:00:00.000Z')
  expect(from('2026-03-30', '2026-01-30')).toBe('2026-04-30T10:00:00.000Z')
  expect(from('2026-02-28', '2026-01-31')).toBe('2026-03-31T10:00:00.000Z')
  expect(from('2026-03-10', '2025-03-10', 'year')).toBe('2027-03-10T10:00:00.000Z')
  expect(from('2026-06-10', '2025-06-10', 'year')).toBe('2026-06-10T10:00:00.000Z')
})

test('a proposal is agreed to, or not yet, and where the price is not above the own there is none', () => {
  const now = at('2026-03-02')
  expect(proposalOf(PAYS_TEN, PRESENT, follow, now)).toEqual({
    ...{ priceCents: 1500, agreed: false, from: '2026-04-10T10:00:00.000Z' },
  })
  expect(proposalOf(AGREED, PRESENT, follow, now)).toMatchObject({ agreed: true })
  expect(proposalOf({ ...AGREED, priceCents: 1500, agreement: null }, PRESENT, follow, now)).toMatchObject({
    agreed: false,
  })
  expect(proposalOf({ ...PAYS_TEN, priceCents: 1500 }, PRESENT, follow, now)).toBeNull()
  expect(proposalOf(PAYS_TEN, null, follow, now)).toBeNull()
  expect(proposalOf(PAYS_TEN, PRESENT, { ...follow, periodEnd: null }, now)).toBeNull()
})

test('a renewal that passed without a word of Stripe is not promised', () => {
  expect(proposalOf(PAYS_TEN, PRESENT, follow, at('2026-07-11'))?.from).toBe('2026-08-10T10:00:00.000Z')
})
