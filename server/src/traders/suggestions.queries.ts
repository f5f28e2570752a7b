import { sql } from 'kysely'
import { foldedName } from '../accounts/folded-name.ts'
import { compiledQuery, type Queryable } from '../platform/database/queryable.ts'

/** A trader with a closed position who is not suspended. */
export type KnownTrader = {
  traderId: string
  username: string
  /** Percent, decimal text. */
  averageGain: string
}

/** Sorts after every letter of a username, so that it ends the range of a beginning. */
const AFTER_LETTERS = '{'

/**
 * Traders whose name begins with a text, by name. The range and the order are those of the index accounts_username, so the database stops
 * after `limit`.
 * @param beginning letters of a username, in lower case
 */
export function listByBeginning(db: Queryable, beginning: string, limit: number): Promise<KnownTrader[]> {
  return selectByBeginning(db, { beginning, end: beginning + AFTER_LETTERS, limit })
}

const name = foldedName('accounts.username')

const selectByBeginning = compiledQuery((db, range: { beginning: string; end: string; limit: number }) =>
  db
    .selectFrom('accounts')
    .innerJoin('trader_stats', 'trader_stats.trader_id', 'accounts.user_id')
    .select(['accounts.user_id as traderId', 'accounts.username', 'trader_stats.gain_avg as averageGain'])
    .where('trader_stats.settled_count', '>=', sql.lit(1))
    .where('trader_stats.suspended', '=', sql.lit(false))
    .where(name, '>=', range.beginning)
    .where(name, '<', range.end)
    .orderBy(name)
    .limit(range.limit)
    .$narrowType<{ traderId: string; username: string; averageGain: string }>(),
)

/**
 * Traders with one of these names, the most often closed first. Most of the names belong to nobody, which the database cannot know:
 * `limit 1` makes it look each up in the index in the place of reading both tables.
 * @param names in lower case
 */
export function listByName(db: Queryable, names: readonly string[], limit: number): Promise<KnownTrader[]> {
  return selectByName(db, { names, limit })
}

const selectByName = compiledQuery(
  (_db, { names, limit }: { names: readonly string[]; limit: number }) => sql<KnownTrader>`
    select account.user_id as "traderId", account.username, stats.gain_avg as "averageGain"
    from unnest(${names}::text[]) as name
    cross join lateral (select user_id, username from accounts where ${foldedName('username')} = name limit 1) account
    cross join lateral (
      select gain_avg, settled_count from trader_stats
      where trader_id = account.user_id and settled_count >= 1 and not suspended limit 1
    ) stats
    order by stats.settled_count desc, ${foldedName('account.username')} limit ${limit}`,
)
