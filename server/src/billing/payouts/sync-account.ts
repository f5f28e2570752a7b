import { findUsername } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type AccountReading, type Patience, readAccount } from '../../stripe/accounts.ts'
import { hasTaxSettings } from '../../stripe/tax.ts'
import { enqueue } from '../../work/jobs.ts'
import { prepareTraderPrice } from '../prices/prices.jobs.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import {
  findPayoutAccountByStripeId,
  type PayoutAccount,
  type PayoutFacts,
  type PayoutState,
  storePayoutFacts,
} from './payout-accounts.queries.ts'
import { hasPayingSubscribers } from './payout-requests.queries.ts'
import { isReady, isRejected } from './payout-status.ts'
import { payoutsChanged } from './payouts.jobs.ts'

/** An account is read again after this time even if Stripe sends no event: one that cannot receive payouts, and one that can. */
const LOOK_AGAIN_MS = 6 * 3_600_000
const LOOK_AGAIN_READY_MS = 24 * 3_600_000
/** A reading is repeated this often while others write the account in between. */
const READINGS = 5

/**
 * Reads a trader's account at Stripe and stores it. Queues a look at the trader's followers when payouts came or went, and the
 * making of the trader's price when they came; notifies trader and operator of a rejection. Holds no lock and no connection while
 * Stripe answers: a reading is stored only if no other was stored since it began, so the last one stored is the last one read.
 * Safe to repeat.
 * @param patience time-out and retries for a caller that waits; those of the Stripe client unless given
 * @returns the account as it is stored now; null when no trader here has it
 * @throws what Stripe throws; nothing is changed then
 */
export async function syncAccount(
  deps: BillingDeps,
  stripeAccountId: string,
  now: Date,
  patience?: Patience,
): Promise<PayoutAccount | null> {
  for (let reading = 0; reading < READINGS; reading += 1) {
    const before = await findPayoutAccountByStripeId(deps.db, stripeAccountId)
    // A closed account stays closed (docs.stripe.com/api/v2/core/accounts/close).
    if (before === null || before.closedAt) return before
    const reading = await readAccount(deps, stripeAccountId, patience)
    const facts = payoutFactsOf(before, { ...reading, taxReady: await readTax(deps, before, patience) }, now)
    if (await withTransaction(deps.db, (tx) => writeFacts(tx, before, facts, now)))
      return { ...before, ...facts, syncedAt: now, revision: before.revision + 1 }
  }
  throw new Error('a payout account is being written faster than it is read')
}

/** Asked only where traders owe the tax. */
function readTax(
  deps: BillingDeps,
  { stripeAccountId, taxReady }: PayoutAccount,
  patience?: Patience,
): Promise<boolean | null> {
  if (deps.settings.taxLiable !== 'trader' || stripeAccountId === null) return Promise.resolve(taxReady)
  return hasTaxSettings(deps, stripeAccountId, patience)
}

function payoutFactsOf(
  before: PayoutAccount,
  reading: AccountReading & Pick<PayoutFacts, 'taxReady'>,
  now: Date,
): PayoutFacts {
  const closedAt = reading.closed ? now : null
  const ready = isReady({ transfersStatus: reading.status, closedAt })
  return {
    state: stateOf(reading, ready, before.completeAt !== null),
    transfersStatus: reading.status,
    reason: reading.code,
    completeAt: before.completeAt ?? (ready ? now : null),
    lostAt: ready || before.completeAt === null ? null : (before.lostAt ?? now),
    closedAt,
    taxReady: reading.taxReady,
    rejectedAt: before.rejectedAt ?? (isRejected({ transfersStatus: reading.status, closedAt }) ? now : null),
  }
}

function stateOf(reading: AccountReading, ready: boolean, wasComplete: boolean): PayoutState {
  if (reading.closed) return 'closed'
  if (ready) return 'ready'
  if (reading.resolution === 'no_resolution') return 'under_review'
  // Stripe's own "restricted" includes new accounts; ours means that the account lost its transfers, or only Stripe can allow them.
  return wasComplete || reading.resolution === 'contact_stripe' ? 'restricted' : 'incomplete'
}

async function writeFacts(
  tx: Queryable,
  before: PayoutAccount,
  facts: PayoutFacts,
  now: Date,
): Promise<boolean> {
  const ready = isReady(facts)
  const pause = ready ? LOOK_AGAIN_READY_MS : LOOK_AGAIN_MS
  const lookAt = facts.closedAt ? null : new Date(now.getTime() + pause)
  if (!(await storePayoutFacts(tx, before, facts, lookAt, now))) return false
  const traderId = before.userId
  if (ready !== isReady(before) || facts.closedAt)
    await enqueue(tx, payoutsChanged, { traderId }, { key: `payouts-changed:${traderId}` })
  if (ready && !isReady(before))
    await enqueue(tx, prepareTraderPrice, { traderId }, { key: `prepare-trader-price:${traderId}` })
  if (facts.rejectedAt !== null && before.rejectedAt === null)
    await notifyOfRejection(tx, { ...before, ...facts }, now)
  return true
}

/**
 * Mails the trader that their payout account was rejected, and the operator, with Stripe's code for the reason.
 * @param tx the transaction that stores `rejectedAt`, so that both are notified once however often the account is read
 */
async function notifyOfRejection(tx: Queryable, account: PayoutAccount, now: Date): Promise<void> {
  const { reason, userId } = account
  const id = account.stripeAccountId ?? ''
  const trader = (await findUsername(tx, userId)) ?? ''
  const facts = { trader, followed: await hasPayingSubscribers(tx, userId) }
  await queueMail(tx, { kind: 'payouts_rejected', userId, cause: id, facts }, now)
  await alertOperator(tx, `a payout account was rejected (${reason ?? 'no reason given'})`, id, now)
}
