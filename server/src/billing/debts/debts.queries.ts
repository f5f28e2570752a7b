import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import { newId } from '../../platform/ids.ts'
import type { DebtKind, NewDebt } from './debts.ts'

/**
 * Something that was decided about money and is to be done at Stripe (ADR 0026). server/migrations/0004_money.sql
 * explains each column.
 */
export type Debt = {
  traderId: string
  id: string
  subscriberId: string
  kind: DebtKind
  /** Stripe's id of the subscription. */
  subscriptionId: string
  /** Stripe's id of what the debt is about: a subscription, an invoice or a dispute. */
  subject: string
  invoiceId: string | null
  cause: string
  amountCents: number | null
  currency: string
  tries: number
  error: string | null
  refusedAt: Date | null
  alertedAt: Date | null
  dueAt: Date | null
  createdAt: Date
}

const COLUMNS = [
  'trader_id as traderId',
  'id',
  'subscriber_id as subscriberId',
  'kind',
  'stripe_subscription_id as subscriptionId',
  'subject',
  'invoice_id as invoiceId',
  'cause',
  'amount_cents as amountCents',
  'currency',
  'tries',
  'error',
  'refused_at as refusedAt',
  'alerted_at as alertedAt',
  'due_at as dueAt',
  'created_at as createdAt',
] as const

/** The order in which a pair's debts are settled: an end comes before the refunds that follow from it. */
const ORDER = sql`array_position(array['end', 'void', 'refund', 'empty_month', 'tax', 'reversal', 'transfer', 'collection', 'price'], kind)`

/**
 * Writes a debt in the transaction of the decision that it follows from; `settleDebts` carries it out at Stripe (ADR
 * 0026). Safe to repeat: a trader has one debt for each kind, subject and cause. A settled debt of three kinds is opened
 * again: `collection` and `price`, since charging pauses and resumes and prices change many times, and `end`, since Stripe may report a
 * subscription as live that was ended.
 * @returns whether this call has opened a debt
 */
export async function oweDebt(
  tx: Queryable,
  pair: { traderId: string; subscriberId: string },
  debt: NewDebt,
  now: Date,
): Promise<boolean> {
  const opened = await tx
    .insertInto('debts')
    .values({
      trader_id: pair.traderId,
      id: newId(),
      subscriber_id: pair.subscriberId,
      kind: debt.kind,
      stripe_subscription_id: debt.subscriptionId,
      subject: debt.subject,
      invoice_id: debt.invoiceId,
      cause: debt.cause,
      amount_cents: debt.amountCents,
      currency: debt.currency,
      state: 'open',
      due_at: now,
      created_at: now,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['trader_id', 'kind', 'subject', 'cause'])
        .doUpdateSet({
          state: 'open',
          due_at: now,
          created_at: now,
          tries: 0,
          settled_at: null,
          error: null,
          refused_at: null,
          alerted_at: null,
        })
        .where('debts.kind', 'in', ['collection', 'end', 'price'])
        .where('debts.state', '=', 'settled'),
    )
    .returning('id')
    .executeTakeFirst()
  return opened !== undefined
}

/**
 * The pair's next debt that is due, in the order of `ORDER`; null when there is none. A `void` is left out while the end
 * of the same subscription is still open. Call it under the pair's lock.
 * @param tried ids of debts to leave out, because this run has tried them
 */
export async function findDueDebt(
  tx: Queryable,
  pair: { traderId: string; subscriberId: string },
  tried: string[],
  now: Date,
): Promise<Debt | null> {
  const row = await tx
    .selectFrom('debts')
    .select(COLUMNS)
    .where('trader_id', '=', pair.traderId)
    .where('subscriber_id', '=', pair.subscriberId)
    .where('due_at', '<=', now)
    .where('id', '<>', sql<string>`all(${tried}::uuid[])`)
    .where(({ eb, exists, not, or, selectFrom }) =>
      or([
        eb('kind', '<>', 'void'),
        not(
          exists(
            selectFrom('debts as ending')
              .select('ending.id')
              .whereRef('ending.trader_id', '=', 'debts.trader_id')
              .whereRef('ending.stripe_subscription_id', '=', 'debts.stripe_subscription_id')
              .where('ending.kind', '=', 'end')
              .where('ending.state', '=', 'open'),
          ),
        ),
      ]),
    )
    .orderBy(ORDER)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
  return (row as Debt | undefined) ?? null
}

/**
 * Looks for open refunds of an invoice. A refund that has waited for a bank becomes due: it has decided.
 * @param bankDecides the error of a refund that waits for one
 * @returns `due` where one is now, `later` where another one waits, `none`
 */
export async function findOpenRefunds(
  tx: Queryable,
  key: { traderId: string; invoiceId: string },
  bankDecides: string,
  now: Date,
): Promise<'due' | 'later' | 'none'> {
  const open = tx
    .selectFrom('debts')
    .select(['id', 'error', 'due_at'])
    .where('trader_id', '=', key.traderId)
    .where('invoice_id', '=', key.invoiceId)
    .where('kind', 'in', ['refund', 'empty_month'])
    .where('state', '=', 'open')
  const rows = await open.execute()
  const waited = rows.filter(({ error }) => error === bankDecides).map(({ id }) => id)
  if (waited.length > 0)
    await tx
      .updateTable('debts')
      .set({ due_at: now })
      .where('trader_id', '=', key.traderId)
      .where('id', 'in', waited)
      .execute()
  const isDue = rows.some(({ due_at: dueAt, id }) => waited.includes(id) || (dueAt !== null && dueAt <= now))
  return isDue ? 'due' : rows.length > 0 ? 'later' : 'none'
}

/** Marks a debt as settled. @param amountCents cents that were moved; null for a kind of debt that moves no money */
export async function closeDebt(
  tx: Queryable,
  key: { traderId: string; id: string },
  amountCents: number | null,
  now: Date,
): Promise<void> {
  await tx
    .updateTable('debts')
    .set({ state: 'settled', settled_at: now, due_at: null, error: null, amount_cents: amountCents })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** Stores a failed try. @param failure.error Stripe's error code, never its message, which can quote personal data */
export async function noteDebtFailure(
  tx: Queryable,
  key: { traderId: string; id: string },
  failure: Pick<Debt, 'tries' | 'error' | 'refusedAt' | 'alertedAt' | 'dueAt'>,
): Promise<void> {
  await tx
    .updateTable('debts')
    .set({
      tries: failure.tries,
      error: failure.error,
      refused_at: failure.refusedAt,
      alerted_at: failure.alertedAt,
      due_at: failure.dueAt,
    })
    .where('trader_id', '=', key.traderId)
    .where('id', '=', key.id)
    .execute()
}

/** A debt of kind `end` or `refund`. @property paid the payment of a refund; null where its invoice is not stored here */
export type Return = {
  kind: string
  cause: string
  amountCents: number | null
  state: string
  refused: boolean
  paid: { cents: number; refundedCents: number; periodStart: Date | null; periodEnd: Date | null } | null
}

/** The debts of kind `end` and `refund` of one subscription, settled or not. @param key.subscriptionId Stripe's id */
export async function listReturns(
  tx: Queryable,
  key: { traderId: string; subscriptionId: string },
): Promise<Return[]> {
  const rows = await tx
    .selectFrom('debts')
    .leftJoin('invoices', (join) =>
      join
        .onRef('invoices.trader_id', '=', 'debts.trader_id')
        .onRef('invoices.invoice_id', '=', 'debts.invoice_id'),
    )
    .select(['debts.kind', 'debts.cause', 'debts.amount_cents as amountCents', 'debts.state'])
    .select([
      'invoices.amount_paid_cents as paidCents',
      'invoices.refunded_cents as refundedCents',
      'invoices.period_start as periodStart',
      'invoices.period_end as periodEnd',
    ])
    .select((eb) => eb('debts.refused_at', 'is not', null).$castTo<boolean>().as('refused'))
    .where('debts.trader_id', '=', key.traderId)
    .where('debts.stripe_subscription_id', '=', key.subscriptionId)
    .where('debts.kind', 'in', ['end', 'refund'])
    .execute()
  return rows.map(({ paidCents, periodEnd, periodStart, refundedCents, ...debt }) => ({
    ...debt,
    paid:
      paidCents === null
        ? null
        : { cents: paidCents, refundedCents: refundedCents ?? 0, periodStart, periodEnd },
  }))
}
