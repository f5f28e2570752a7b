import * as z from 'zod'
import { defineJob } from '../../work/jobs.ts'

/** Follows the end of a trader's code at Stripe, and ends the checkouts that wait with it. */
export const discountCodeEnded = defineJob(
  'discount-code-ended',
  z.object({ traderId: z.uuid(), id: z.uuid() }),
)
