import * as z from 'zod'
import { defineJob } from '../../work/jobs.ts'

/** Makes a trader's price before the first subscriber comes. */
export const prepareTraderPrice = defineJob('prepare-trader-price', z.object({ traderId: z.uuid() }))
