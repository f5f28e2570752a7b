import { formatMoney } from '@tradepost/contract/money'
import type { Queryable } from '../../platform/database/queryable.ts'
import { bringForward, dropDebt, listOpenDebts, type OpenDebt } from './open-debts.queries.ts'

/** Debts in one list. Newer ones appear in it as older ones are settled. */
const MOST_LISTED = 500

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Lists the open debts for an operator (ADR 0026), oldest first.
 * @returns one line each: created (UTC), kind, amount, cause, what it is about and for which subscription (both by Stripe's
 *   id), trader, last answer of Stripe, next try (UTC), and the debt's id, which `debts retry` and `debts drop` take
 */
export async function readDebts(db: Queryable): Promise<string[]> {
  return (await listOpenDebts(db, MOST_LISTED)).map(line)
}

function line(debt: OpenDebt): string {
  const { amountCents, createdAt, currency, dueAt, error, id, kind, refusedAt, subject, tries } = debt
  const failed = `${refusedAt ? 'refused' : 'failed'}, ${tries} ${tries === 1 ? 'try' : 'tries'}: ${error}`
  return [
    createdAt.toISOString(),
    kind,
    amountCents === null ? '-' : formatMoney(amountCents, currency),
    debt.cause,
    subject,
    subject === debt.subscriptionId ? null : debt.subscriptionId,
    `@${debt.trader ?? '-'}`,
    error === null ? 'not tried' : failed,
    `next ${dueAt?.toISOString()}`,
    id,
  ]
    .filter((part) => part !== null)
    .join('  ')
}

/**
 * Makes the worker try an open debt at its next look, or all of them.
 * @param which the id of a debt, or `all`
 * @returns how many debts will be tried
 * @throws when `which` is neither
 */
export function retryDebts(db: Queryable, which: string, now: Date): Promise<number> {
  if (which !== 'all') checkId(which)
  return bringForward(db, which === 'all' ? null : which, now)
}

/**
 * Gives an open debt up, because somebody has settled it by hand in Stripe's dashboard.
 * @param remark why; it is kept with the debt
 * @returns how many debts were given up: 0 when there is no open one with this id
 * @throws when `id` is not an id, or `remark` is empty
 */
export function giveUpDebt(db: Queryable, id: string, remark: string, now: Date): Promise<number> {
  checkId(id)
  if (remark.trim() === '') throw new Error('Say why: it is kept.')
  return dropDebt(db, id, remark.trim(), now)
}

function checkId(id: string): void {
  if (!UUID.test(id)) throw new Error('Say the id of a debt, the last word of its line.')
}
