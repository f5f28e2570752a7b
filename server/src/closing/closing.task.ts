import { type DueWork, dueWork } from '../work/due-rows.ts'
import { CLOSINGS } from './closings.jobs.ts'
import { type ClosingDeps, tendClosing } from './tend-closing.ts'

/** A closing that fails comes again after a minute, later after longer. */
const AGAIN_MS = 60_000

/** Closed accounts on their way to their end. Waits for Stripe and for prices. */
export function closingWork(deps: ClosingDeps): DueWork {
  return dueWork(deps, {
    table: CLOSINGS,
    atOnce: 1,
    pauseMs: AGAIN_MS,
    handle: ({ id }, now) => tendClosing(deps, id, now),
  })
}
