import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Keeps since when empty months go back (rule G-127), as the operator has it: on from the moment at which a process first says so, or not
 * at all. Months that began before that moment are not looked at. Safe to repeat.
 * @returns null while it is off
 */
export async function keepSwitch(db: Queryable, on: boolean, now: Date): Promise<Date | null> {
  const read = () => db.selectFrom('empty_month_returns').select('since').executeTakeFirstOrThrow()
  const { since } = await read()
  if ((since !== null) === on) return since
  await sql`
    update empty_month_returns set since = case when ${on}::boolean then coalesce(since, ${now}::timestamptz) end
    where (since is not null) <> ${on}::boolean`.execute(db)
  return (await read()).since
}
