import * as z from 'zod'
import type { DueTable } from '../../work/due-rows.queries.ts'
import { defineJob } from '../../work/jobs.ts'
import { CHECKOUTS } from '../checkouts/checkouts.jobs.ts'
import { CUSTOMERS } from '../customers/customers.jobs.ts'
import { DEBTS } from '../debts/debts.jobs.ts'
import { PAYOUT_ACCOUNTS } from '../payouts/payouts.jobs.ts'
import { OWN_PRICES } from '../prices/prices.jobs.ts'

/** Events that wait, due when they are dealt with. */
export const STRIPE_EVENTS = {
  name: 'stripe_events',
  key: { event_id: 'text' },
  dueAt: 'due_at',
} as const satisfies DueTable

/** Where payments keep what is due at a time of its own. */
export const PAYMENT_TABLES: DueTable[] = [
  CUSTOMERS,
  PAYOUT_ACCOUNTS,
  CHECKOUTS,
  DEBTS,
  OWN_PRICES,
  STRIPE_EVENTS,
]

/** Asks Stripe for events that never arrived. */
export const catchUpEvents = defineJob('catch-up-stripe-events', z.unknown())

/** Compares a page of what lives at Stripe with what is stored here, and goes on with the next one. */
export const compareWithStripe = defineJob(
  'compare-with-stripe',
  z.object({ after: z.string().optional(), began: z.string().optional() }),
)
