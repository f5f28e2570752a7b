import * as z from 'zod'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type DueTable, makeDue } from '../../work/due-rows.queries.ts'
import { defineJob } from '../../work/jobs.ts'
import { LONGEST_PAUSE_MS } from '../provider/make-once.ts'
import { raisePayoutRevision } from './payout-requests.queries.ts'

/** Accounts, due when they are opened or read again. */
export const PAYOUT_ACCOUNTS = {
  name: 'payout_accounts',
  key: { user_id: 'uuid' },
  dueAt: 'look_at',
  mayBeMadeDue: 'closed_at is null',
  longestPauseMs: LONGEST_PAUSE_MS,
} as const satisfies DueTable

/** A trader gained or lost their payouts, or the account was closed: their followers are to be looked at. */
export const payoutsChanged = defineJob('payouts-changed', z.object({ traderId: z.uuid() }))

/** Has an account read at once. A reading that has begun is not written, since it may not show what is to be seen now. */
export function lookAtPayoutAccount(db: Queryable, userId: string, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    await raisePayoutRevision(tx, userId)
    await makeDue(tx, PAYOUT_ACCOUNTS, [userId], now)
  })
}
