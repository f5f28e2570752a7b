import type { DueTable } from '../../work/due-rows.queries.ts'

/** Pairs with open debts, due when one of these is tried. */
export const DEBTS = {
  name: 'debts',
  key: { trader_id: 'uuid', subscriber_id: 'uuid' },
  dueAt: 'due_at',
  // The run that deals with the pair settles all that is due of it.
  keepsTimes: true,
} as const satisfies DueTable
