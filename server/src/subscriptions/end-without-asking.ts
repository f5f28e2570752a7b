import { findUsername } from '../accounts/accounts.queries.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { findPayoutAccount } from '../payments/payout-accounts.queries.ts'
import { withProviderLock } from '../payments/provider-lock.ts'
import type { Queryable } from '../platform/database.ts'
import { endDebt, oweDebt, reversalDebt, voidDebt } from './debts.ts'
import { endHere } from './entitlement.ts'
import { isOutOfReach } from './judge-subscription.ts'
import { lossMail } from './money-mail-causes.ts'
import { oweMoneyMail } from './money-mails.ts'
import {
  type EndReason,
  findPaidInvoice,
  findSuspended,
  listPairRows,
  type PairRow,
  storeEndReason,
} from './pair.queries.ts'
import { pairLock } from './pair-lock.ts'
import { isChargeback } from './settle-dispute.ts'
import type { InvoiceDispute } from './stripe-invoice.ts'
import { isLive, type Pair } from './stripe-subscription.ts'

/**
 * Ends what nobody needs to read at Stripe to know that it ends: the trader can never be paid for it any more. Access is
 * gone then, even while Stripe answers nothing.
 */
export async function endForLostPayouts({ db }: PaymentsDeps, pair: Pair, now: Date): Promise<void> {
  const payouts = await findPayoutAccount(db, pair.traderId)
  const suspended = await findSuspended(db, pair)
  if (payouts === null || !isOutOfReach(payouts, suspended, now)) return
  await withProviderLock(db, pairLock(pair), async (tx) => {
    const ended = []
    for (const row of await listPairRows(tx, pair))
      if (await endRow(tx, pair, row, 'trader_unavailable', now)) ended.push(row)
    if (ended.length === 0) return
    const trader = (await findUsername(tx, pair.traderId)) ?? ''
    await oweMoneyMail(tx, lossMail(pair.traderId, trader, { payouts, suspended, replaced: null }), now)
  })
}

/**
 * Ends the subscription whose payment the bank took back, and owes what its trader has to give back. Does nothing
 * when that payment is not stored here, or the bank took nothing.
 * @param paymentIntentId of the payment
 */
export async function endForDispute(
  { db }: PaymentsDeps,
  dispute: InvoiceDispute,
  paymentIntentId: string,
  now: Date,
): Promise<void> {
  const paid = isChargeback(dispute) ? await findPaidInvoice(db, paymentIntentId) : null
  if (!paid) return
  await withProviderLock(db, pairLock(paid), async (tx) => {
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

/** @returns whether it lived */
async function endRow(
  tx: Queryable,
  pair: Pair,
  row: PairRow,
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
