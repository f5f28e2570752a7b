import type { DueTable } from '../../work/due-rows.queries.ts'

/** Pairs with open debts, due when one of these is tried. */
export const DEBTS = {
  name: 'debts',
  key: { trader_id: 'uuid', subscriber_id: 'uuid' },
  dueAt: 'due_at',
  // The run that deals with the pair settles all that is due of it.
  keepsTimes: true,
  // The version before queues a job for a pair of which a debt is due already; its other debts keep their times.
  mayBeMadeDue: 'false',
  earlierJob: 'settle-debts',
} as const satisfies DueTable
