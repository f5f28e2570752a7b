import { findUsername } from '../../accounts/accounts.queries.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { InvoiceDispute } from '../../stripe/invoices.ts'
import { type EndReason, isLive, type Pair } from '../../stripe/subscriptions.ts'
import { oweDebt } from '../debts/debts.queries.ts'
import { endDebt, isChargeback, reversalDebt, voidDebt } from '../debts/debts.ts'
import { findPaidInvoice } from '../debts/invoices.queries.ts'
import { endHere } from '../entitlements/entitlement.ts'
import {
  findClosed,
  findSuspended,
  listPairRows,
  type PairRow,
  storeEndReason,
} from '../entitlements/pair.queries.ts'
import { findPayoutAccount } from '../payouts/payout-accounts.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { pairLock, withProviderLock } from '../provider/provider-lock.ts'
import { isOutOfReach, reasonOfClosing } from './judge-subscription.ts'
import { lossMail } from './money-mail-causes.ts'

/**
 * Ends the pair's live subscriptions when the database alone shows that they are over: one of the two has closed the account (rule
 * G-117), or the trader cannot be paid any more (`isOutOfReach`, rule G-56). Reads nothing at Stripe, so access ends even while
 * Stripe does not answer (ADR 0026).
 */
export async function endWithoutStripe({ db }: BillingDeps, pair: Pair, now: Date): Promise<void> {
  const payouts = await findPayoutAccount(db, pair.traderId)
  const suspended = await findSuspended(db, pair)
  const closed = await findClosed(db, pair)
  const isLost = payouts !== null && isOutOfReach(payouts, suspended, now)
  if (!isLost && closed.trader === null && closed.subscriber === null) return
  await withProviderLock(db, pairLock(pair), async (tx) => {
    let isLossToTell = false
    // A withdrawal takes this lock alone: it is over before the rows are read, or begins behind the end.
    await lockTraderSequence(tx, pair.traderId)
    for (const row of await listPairRows(tx, pair)) {
      const ofClosing = reasonOfClosing(closed, row.startedAt)
      const reason = ofClosing ?? (isLost ? 'trader_unavailable' : null)
      if (reason === null || !(await endRow(tx, pair, row, reason, now))) continue
      if (ofClosing === null) isLossToTell = true
    }
    if (!isLossToTell || payouts === null) return
    const trader = (await findUsername(tx, pair.traderId)) ?? ''
    await queueMail(tx, lossMail(pair.traderId, trader, { payouts, suspended, replaced: null }), now)
  })
}

/**
 * Ends the subscription whose payment a bank took back, and writes the debt of what the trader has to give back (rule
 * G-55). Reads nothing at Stripe. Does nothing when the database does not know the payment, or for an inquiry, by which the
 * bank takes nothing.
 * @param paymentId Stripe's id of the payment
 */
export async function endForDispute(
  { db }: BillingDeps,
  dispute: InvoiceDispute,
  paymentId: string,
  now: Date,
): Promise<void> {
  const paid = isChargeback(dispute) ? await findPaidInvoice(db, { paymentId }) : null
  if (!paid) return
  await withProviderLock(db, pairLock(paid), async (tx) => {
    await lockTraderSequence(tx, paid.traderId)
    const rows = await listPairRows(tx, paid)
    const row = rows.find(({ id }) => id === paid.subscriptionId)
    if (!row?.stripeId) return
    await endRow(tx, paid, row, 'dispute', now)
    const cents = Math.min(dispute.amountCents, paid.atTraderCents)
    if (dispute.status === 'won' || cents <= 0) return
    const of = { id: row.stripeId, currency: row.currency }
    await oweDebt(tx, paid, reversalDebt(of, paid.invoiceId, dispute, cents), now)
  })
}

/** Ends one subscription here, and writes the debts of its end. @returns false when it was not live, or not bought at Stripe */
export async function endRow(
  tx: Queryable,
  pair: Pair,
  row: Pick<PairRow, 'id' | 'status' | 'stripeId' | 'currency'>,
  reason: EndReason,
  now: Date,
): Promise<boolean> {
  if (!isLive(row) || row.stripeId === null) return false
  const key = { traderId: pair.traderId, id: row.id }
  await endHere(tx, key, now)
  await storeEndReason(tx, key, reason)
  const of = { id: row.stripeId, currency: row.currency }
  for (const debt of [endDebt(of, reason), voidDebt(of)]) await oweDebt(tx, pair, debt, now)
  return true
}
