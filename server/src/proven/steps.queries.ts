import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'

/** A part of the days that are missing; each is computed for all traders before the next one begins. */
export type DayStep = {
  /** The first day that every trader needs, as `2026-11-18`. */
  from: string
  /** The session that it ends with; before `from` where no session is new. */
  through: string
  /** Days of before that have changed since are computed with it; null for none. */
  since: Date | null
}

/** How far a step is: traders up to that id have it. `beganAt`: when the run began that found the days missing. */
export type StepDone = DayStep & { doneTo: string; beganAt: Date }

/** The step that a run has left undone; null when it did all. */
export async function findStep(db: Queryable, version: number): Promise<StepDone | null> {
  const row = await db
    .selectFrom('day_steps')
    .select([
      sql<string>`from_day::text`.as('from'),
      sql<string>`through::text`.as('through'),
      'changed_since as since',
      'done_to as doneTo',
      'began_at as beganAt',
    ])
    .where('version', '=', version)
    .executeTakeFirst()
  return row ?? null
}

/** In the transaction that computes the step for these traders. */
export async function noteStep(
  tx: Queryable,
  version: number,
  { beganAt, doneTo, from, since, through }: StepDone,
): Promise<void> {
  const values = {
    from_day: sql<Date>`${from}::date`,
    through: sql<Date>`${through}::date`,
    done_to: doneTo,
    changed_since: since,
    began_at: beganAt,
  }
  await tx
    .insertInto('day_steps')
    .values({ version, ...values })
    .onConflict((conflict) => conflict.column('version').doUpdateSet(values))
    .execute()
}

/** All of them are done. */
export async function endSteps(tx: Queryable, version: number): Promise<void> {
  await tx.deleteFrom('day_steps').where('version', '=', version).execute()
}
