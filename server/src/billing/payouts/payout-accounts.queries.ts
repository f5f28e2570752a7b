import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** Where onboarding stands; the screens distinguish none, begun and complete. */
export type PayoutState = 'incomplete' | 'under_review' | 'restricted' | 'ready' | 'closed'

/** The account at Stripe that receives a trader's money, as it was last read. */
export type PayoutAccount = {
  userId: string
  /** Null while it has been asked for and not been opened. */
  stripeAccountId: string | null
  state: PayoutState
  transfersStatus: string
  /** Why transfers are not active, in Stripe's code; null when it gave none. */
  reason: string | null
  country: string | null
  /** When transfers were first seen active. */
  completeAt: Date | null
  /** Since when transfers, once active, are not any more. */
  lostAt: Date | null
  closedAt: Date | null
  /** When it was first seen rejected, and its trader was notified; stays should that be taken back. */
  rejectedAt: Date | null
  /** Whether its tax settings are complete; null while nobody has asked, as where traders owe no tax. */
  taxReady: boolean | null
  /** When it was last read at Stripe; null before the first time. */
  syncedAt: Date | null
  /** Part of the idempotency key; raised after an account was closed. */
  generation: number
  /** Raised by every writing of what was read, so that an older reading finds that it has been overtaken. */
  revision: number
}

const COLUMNS = [
  'user_id',
  'stripe_account_id',
  'state',
  'transfers_status',
  'reason',
  'country',
  'complete_at',
  'lost_at',
  'closed_at',
  'rejected_at',
  'tax_ready',
  'synced_at',
  'generation',
  'revision',
] as const

/** Null before onboarding was started. */
export async function findPayoutAccount(db: Queryable, userId: string): Promise<PayoutAccount | null> {
  const [row] = await selectPayoutAccount(db, { userId })
  return row ? toAccount(row) : null
}

const selectPayoutAccount = compiledQuery((db, { userId }: { userId: string }) =>
  db.selectFrom('payout_accounts').select(COLUMNS).where('user_id', '=', userId),
)

/** Null for an account that is nobody's here, or not any more. */
export async function findPayoutAccountByStripeId(
  db: Queryable,
  stripeAccountId: string,
): Promise<PayoutAccount | null> {
  const row = await db
    .selectFrom('payout_accounts')
    .select(COLUMNS)
    .where('stripe_account_id', '=', stripeAccountId)
    .executeTakeFirst()
  return row ? toAccount(row) : null
}

/** An account's state at Stripe, with what follows from it. */
export type PayoutFacts = Pick<
  PayoutAccount,
  'state' | 'transfersStatus' | 'reason' | 'completeAt' | 'lostAt' | 'closedAt' | 'rejectedAt' | 'taxReady'
>

/**
 * Writes what was read, unless something else was written since the reading began.
 * @param before the row as it was when the reading began
 * @param lookAt when it is read again automatically, null for never
 * @returns whether it was written
 */
export async function storePayoutFacts(
  tx: Queryable,
  before: PayoutAccount,
  facts: PayoutFacts,
  lookAt: Date | null,
  now: Date,
): Promise<boolean> {
  const result = await tx
    .updateTable('payout_accounts')
    .set({
      state: facts.state,
      transfers_status: facts.transfersStatus,
      reason: facts.reason,
      complete_at: facts.completeAt,
      lost_at: facts.lostAt,
      closed_at: facts.closedAt,
      rejected_at: facts.rejectedAt,
      tax_ready: facts.taxReady,
      synced_at: now,
      look_at: lookAt,
      tries: 0,
      revision: before.revision + 1,
    })
    .where('user_id', '=', before.userId)
    .where('stripe_account_id', '=', before.stripeAccountId)
    .where('revision', '=', before.revision)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

type Row = {
  user_id: string
  stripe_account_id: string | null
  state: string
  transfers_status: string
  reason: string | null
  country: string | null
  complete_at: Date | null
  lost_at: Date | null
  closed_at: Date | null
  rejected_at: Date | null
  tax_ready: boolean | null
  synced_at: Date | null
  generation: number
  revision: number
}

function toAccount(row: Row): PayoutAccount {
  return {
    userId: row.user_id,
    stripeAccountId: row.stripe_account_id,
    state: row.state as PayoutState,
    transfersStatus: row.transfers_status,
    reason: row.reason,
    country: row.country,
    completeAt: row.complete_at,
    lostAt: row.lost_at,
    closedAt: row.closed_at,
    rejectedAt: row.rejected_at,
    taxReady: row.tax_ready,
    syncedAt: row.synced_at,
    generation: row.generation,
    revision: row.revision,
  }
}
