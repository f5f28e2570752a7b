import type { DueTable } from '../../work/due-rows.queries.ts'
import { LONGEST_PAUSE_MS } from '../provider/make-once.ts'

/** Set-ups that were begun, due when they are tried again. */
export const CUSTOMERS = {
  name: 'customers',
  key: { user_id: 'uuid' },
  dueAt: 'retry_at',
  longestPauseMs: LONGEST_PAUSE_MS,
} as const satisfies DueTable
