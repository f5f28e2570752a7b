import { sql } from 'kysely'
import { compiledQuery, type Queryable } from '../../platform/database/queryable.ts'

/** Of a trader: a row for each month in which anybody came or went. @property month as `2026-11` */
export async function listFollowerMonths(
  db: Queryable,
  traderId: string,
): Promise<{ month: string; gained: number; lost: number }[]> {
  return selectFollowerMonths(db, { traderId })
}

const selectFollowerMonths = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('trader_follower_months')
    .select([sql<string>`to_char(month, 'YYYY-MM')`.as('month'), 'gained', 'lost'])
    .where('trader_id', '=', traderId),
)

/** Of a trader: a row for each month and currency in which money came; cents may be negative. @property month as `2026-11` */
export async function listIncomeMonths(
  db: Queryable,
  traderId: string,
): Promise<{ month: string; currency: string; cents: number }[]> {
  return selectIncomeMonths(db, { traderId })
}

const selectIncomeMonths = compiledQuery((db, { traderId }: { traderId: string }) =>
  db
    .selectFrom('trader_income_months')
    .select([sql<string>`to_char(month, 'YYYY-MM')`.as('month'), 'currency', 'cents'])
    .where('trader_id', '=', traderId)
    .orderBy('currency'),
)
