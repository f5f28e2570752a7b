import * as z from 'zod'
import type { DueTable } from '../../work/due-rows.queries.ts'
import { defineJob } from '../../work/jobs.ts'

/** Traders who have changed their prices, due when their followers are mailed of it (rule G-122). */
export const OWN_PRICES = {
  name: 'own_prices',
  key: { trader_id: 'uuid' },
  dueAt: 'notify_at',
} as const satisfies DueTable

/** Follows a change of a trader's prices at Stripe: the new ones are made, followers have theirs, and checkouts that wait at others are ended. */
export const pricesChanged = defineJob('prices-changed', z.object({ traderId: z.uuid() }))

/** Makes a trader's price before the first subscriber comes. */
export const prepareTraderPrice = defineJob('prepare-trader-price', z.object({ traderId: z.uuid() }))
