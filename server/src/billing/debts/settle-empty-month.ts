import { centsOfEmptyMonth, monthsOf, type PaidMonth } from '@tradepost/contract/paid-months'
import { findUsername } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { StripeInvoice } from '../../stripe/invoices.ts'
import { sumRefunds } from '../../stripe/refunds.ts'
import { findTermsOf } from '../entitlements/pair.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { type DebtOutcome, NOTHING_LEFT } from './debt-outcome.ts'
import type { Debt } from './debts.queries.ts'
import { EMPTY_MONTH, emptyMonthDebt, isChargeback } from './debts.ts'
import { readInvoice, returnOf } from './return-payment.ts'

/**
 * Returns an empty month (rule G-127): what is still kept of it by now, whatever came back or was disputed since it was judged. The subscriber
 * is mailed of what goes back.
 */
export async function emptyMonth(
  deps: BillingDeps,
  tx: Queryable,
  debt: Debt,
  now: Date,
): Promise<DebtOutcome> {
  const invoice = await readInvoice(deps, debt)
  const found = invoice && (await findMonth(deps, tx, debt, invoice))
  if (!found || found.cents === 0) return NOTHING_LEFT
  const outcome = await returnOf(deps, tx, debt, { invoice, atMost: found.cents }, now)
  if (outcome.kind === 'settled' && outcome.cents) await tell(tx, debt, found.month, outcome.cents, now)
  return outcome
}

/** @property cents that go back; of a repetition those that went, since Stripe is asked by the cause */
type Found = { month: PaidMonth; cents: number }

async function findMonth(
  deps: BillingDeps,
  tx: Queryable,
  debt: Debt,
  { dispute, id, payment, periodEnd, periodStart }: StripeInvoice,
): Promise<Found | null> {
  const terms = await findTermsOf(tx, debt)
  if (!payment || !terms || !periodStart || !periodEnd) return null
  const months = monthsOf({ start: periodStart, end: periodEnd }, terms.anchor)
  const of = { id: debt.subscriptionId, currency: debt.currency }
  const nth = months.findIndex(({ start }) => emptyMonthDebt(of, id, start).cause === debt.cause)
  const month = months[nth]
  if (!month) return null
  const own = await sumRefunds(deps, payment.chargeId, debt.cause)
  const monthsCents = (await sumRefunds(deps, payment.chargeId, EMPTY_MONTH)) - own
  if (own > 0) return { month, cents: own }
  const cents = centsOfEmptyMonth(
    {
      ...payment,
      monthsCents,
      disputedCents: dispute && isChargeback(dispute) ? dispute.amountCents : 0,
      endedEarly: terms.endedAt !== null && terms.endedAt < periodEnd,
    },
    nth,
    months.length,
  )
  return { month, cents }
}

async function tell(
  tx: Queryable,
  debt: Debt,
  month: PaidMonth,
  amountCents: number,
  now: Date,
): Promise<void> {
  const facts = {
    trader: (await findUsername(tx, debt.traderId)) ?? '',
    amountCents,
    currency: debt.currency,
    from: month.start.toISOString(),
    until: month.end.toISOString(),
  }
  const cause = `${debt.subject}:${debt.cause}`
  await queueMail(tx, { kind: 'empty_month_returned', userId: debt.subscriberId, cause, facts }, now)
}
