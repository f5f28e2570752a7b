import * as z from 'zod'
import { defineJob } from '../../work/jobs.ts'

/**
 * Somebody has begun to receive a trader's events, those after event `afterEvent`, at the instant `at` (ISO 8601): what the trader holds then
 * has its price noted.
 */
export const followingBegan = defineJob(
  'following-began',
  z.object({ traderId: z.uuid(), subscriberId: z.uuid(), afterEvent: z.int(), at: z.iso.datetime() }),
)
