import * as z from 'zod'
import { defineJob } from '../../work/jobs.ts'

/** A person's address has changed. Its handler is of payments: Stripe writes to their customers too. */
export const emailChanged = defineJob('email-changed', z.object({ userId: z.uuid() }))
