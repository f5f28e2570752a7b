import type { TestApp } from '../build-test-app.ts'

/** How many connections to the test's own database wait for a lock now. */
export async function countWaiting({ pool }: Pick<TestApp, 'pool'>): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    "select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows[0]?.count ?? 0
}
