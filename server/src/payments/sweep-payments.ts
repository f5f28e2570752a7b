import { type Queryable, withTransaction } from '../platform/database.ts'
import { enqueue } from '../work/jobs.ts'
import { claimWaitingCustomers } from './customers.queries.ts'
import { finishCustomer, tendPayoutAccount } from './payments.jobs.ts'
import { claimWaitingPayoutAccounts } from './payout-requests.queries.ts'
import { FIRST_RETRY_MS, LONGEST_PAUSE_MS } from './retry-times.ts'

const PAUSES = { firstPauseMs: FIRST_RETRY_MS, longestPauseMs: LONGEST_PAUSE_MS }
/** Rows that one sweep takes on; the next one comes soon. */
const BATCH = 200

/** Has customers finished whose set-up was begun and has waited for its time. */
export function sweepCustomers(db: Queryable, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    for (const userId of await claimWaitingCustomers(tx, { ...PAUSES, limit: BATCH }, now))
      await enqueue(tx, finishCustomer, { userId }, { key: `finish-customer:${userId}` })
  })
}

/** Has payout accounts opened that were asked for, and read again that have not been read for long. */
export function sweepPayoutAccounts(db: Queryable, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    for (const userId of await claimWaitingPayoutAccounts(tx, { ...PAUSES, limit: BATCH }, now))
      await enqueue(tx, tendPayoutAccount, { userId }, { key: `tend-payout-account:${userId}` })
  })
}
