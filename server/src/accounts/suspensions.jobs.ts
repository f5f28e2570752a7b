import * as z from 'zod'
import { defineJob } from '../work/jobs.ts'

/** An operator suspended or restored somebody: the subscriptions that they pay for or are paid by are synced. */
export const suspensionChanged = defineJob('suspension-changed', z.object({ userId: z.uuid() }))
