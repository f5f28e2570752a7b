import * as z from 'zod'
import { defineJob } from '../../work/jobs.ts'

/** Follows a change of a trader's prices at Stripe: the new ones are made, and checkouts that wait at others are ended. */
export const pricesChanged = defineJob('prices-changed', z.object({ traderId: z.uuid() }))

/** Makes a trader's price before the first subscriber comes. */
export const prepareTraderPrice = defineJob('prepare-trader-price', z.object({ traderId: z.uuid() }))
