import * as z from 'zod'
import { defineJob } from '../work/jobs.ts'

/** Finishes the set-up of a customer that a request did not see through. */
export const finishCustomer = defineJob('finish-customer', z.object({ userId: z.uuid() }))

/** Opens the payout account that a request did not see through, or reads it again. */
export const tendPayoutAccount = defineJob('tend-payout-account', z.object({ userId: z.uuid() }))

/** Makes a trader's price before the first subscriber comes. */
export const prepareTraderPrice = defineJob('prepare-trader-price', z.object({ traderId: z.uuid() }))

/** A trader gained or lost their payouts, or the account was closed: their followers are to be looked at. */
export const payoutsChanged = defineJob('payouts-changed', z.object({ traderId: z.uuid() }))
