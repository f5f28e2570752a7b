import { compiledQuery, type Queryable } from './database/queryable.ts'
import { refusal } from './http/refusal.ts'
import { secondsUntil, windowOf } from './rate-window.ts'

/**
 * Counts one use against a limit that holds over all processes, in fixed windows.
 * @param limit.key the name of the limited thing, without anything secret or personal in clear
 * @param limit.max uses a window
 * @returns seconds until the window ends when the limit is exceeded, else null
 */
export async function overLimit(
  db: Queryable,
  limit: { key: string; max: number; windowSeconds: number },
  now: Date,
): Promise<number | null> {
  const { count, secondsLeft } = await countUse(db, limit, now)
  return count > limit.max ? secondsLeft : null
}

/** Counts one use, whatever the limit. @returns the uses of the window with this one, and the seconds until it ends */
export async function countUse(
  db: Queryable,
  of: { key: string; windowSeconds: number },
  now: Date,
): Promise<{ count: number; secondsLeft: number }> {
  const { start, end } = windowOf(of.windowSeconds, now)
  const [counted] = await addUse(db, { key: of.key, start, end })
  if (!counted) throw new Error('a use was not counted')
  return { count: counted.count, secondsLeft: secondsUntil(end, now) }
}

const addUse = compiledQuery((db, of: { key: string; start: Date; end: Date }) =>
  db
    .insertInto('rate_limits')
    .values({ key: of.key, window_start: of.start, count: 1, expires_at: of.end })
    .onConflict((conflict) =>
      conflict
        .columns(['key', 'window_start'])
        .doUpdateSet((eb) => ({ count: eb('rate_limits.count', '+', 1) })),
    )
    .returning('count'),
)

/** Counts as `overLimit` does. @throws `rate_limited` with the seconds to wait */
export async function takeFromLimit(
  db: Queryable,
  limit: { key: string; max: number; windowSeconds: number },
  now: Date,
): Promise<void> {
  const retryAfterSeconds = await overLimit(db, limit, now)
  if (retryAfterSeconds !== null) throw refusal('rate_limited', { retryAfterSeconds })
}

/** Forgets windows that have ended. */
export async function purgeRateLimits(db: Queryable, now: Date): Promise<void> {
  await db.deleteFrom('rate_limits').where('expires_at', '<', now).execute()
}
