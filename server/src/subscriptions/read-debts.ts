import { formatMoney } from '@tradepost/contract/money'
import type { Queryable } from '../platform/database.ts'
import { bringForward, type Debt, dropDebt, listOpenDebts } from './debts.queries.ts'

/** As much as an operator reads at a time; the newer ones come up as the older ones are settled. */
const MOST_LISTED = 500

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** For an operator: what has been decided about money and is still to be done at Stripe, one line each, oldest first. */
export async function readDebts(db: Queryable): Promise<string[]> {
  return (await listOpenDebts(db, MOST_LISTED)).map(line)
}

function line(debt: Debt & { trader: string | null }): string {
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
 * Has a debt tried at the worker's next sweep, or all of them.
 * @param which the id of a debt, or `all`
 * @returns how many
 * @throws when it is neither
 */
export function retryDebts(db: Queryable, which: string, now: Date): Promise<number> {
  if (which !== 'all') checkId(which)
  return bringForward(db, which === 'all' ? null : which, now)
}

/**
 * Gives a debt up, because somebody has seen to it by hand.
 * @param remark why; it is kept with the debt
 * @returns how many
 * @throws without an id or a reason
 */
export function giveUpDebt(db: Queryable, id: string, remark: string, now: Date): Promise<number> {
  checkId(id)
  if (remark.trim() === '') throw new Error('Say why: it is kept.')
  return dropDebt(db, id, remark.trim(), now)
}

function checkId(id: string): void {
  if (!UUID.test(id)) throw new Error('Say the id of a debt, the last word of its line.')
}
