import type { DueTable } from '../work/due-rows.queries.ts'

/** Closings, due when something of them is to be done (ADR 0121). */
export const CLOSINGS = {
  name: 'closings',
  key: { id: 'uuid' },
  dueAt: 'due_at',
  // Also one that waits for nothing.
  mayBeMadeDue: 'true',
  longestPauseMs: 3_600_000,
} as const satisfies DueTable
