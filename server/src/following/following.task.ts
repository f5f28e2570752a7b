import * as z from 'zod'
import { followingBegan } from '../billing/entitlements/entitlements.jobs.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { defineJob, defineTask, type Task } from '../work/jobs.ts'
import { announceAllRenewals } from './announce-renewals.ts'
import { notePrices } from './note-prices.ts'

/** Mails those whose subscriptions renew tomorrow, in UTC. */
const announceRenewals = defineJob('announce-renewals', z.unknown())

export function followingTasks({ clock, db }: { db: Queryable; clock: Clock }): Task[] {
  return [
    defineTask(followingBegan, ({ at, ...beginning }) => notePrices(db, { ...beginning, at: new Date(at) })),
    // Morning in New York, and ten hours before the first renewals.
    defineTask(announceRenewals, () => announceAllRenewals(db, clock.now()), { hour: 13, minute: 53 }),
  ]
}
