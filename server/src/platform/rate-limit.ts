import type { Queryable } from './database.ts'
import { refusal } from './http/refusal.ts'

/**
 * Counts one use against a limit that holds over all processes, in fixed windows.
 * @param limit.key what is limited, without anything secret or personal in clear
 * @param limit.max uses a window
 * @returns seconds until the window ends when the limit is exceeded, else null
 */
export async function overLimit(
  db: Queryable,
  limit: { key: string; max: number; windowSeconds: number },
  now: Date,
): Promise<number | null> {
  const windowMs = limit.windowSeconds * 1000
  const start = Math.floor(now.getTime() / windowMs) * windowMs
  const end = new Date(start + windowMs)
  const { count } = await db
    .insertInto('rate_limits')
    .values({ key: limit.key, window_start: new Date(start), count: 1, expires_at: end })
    .onConflict((conflict) =>
      conflict
        .columns(['key', 'window_start'])
        .doUpdateSet((eb) => ({ count: eb('rate_limits.count', '+', 1) })),
    )
    .returning('count')
    .executeTakeFirstOrThrow()
  return count > limit.max ? Math.ceil((end.getTime() - now.getTime()) / 1000) : null
}

/** As `overLimit`. @throws `rate_limited` with the seconds to wait */
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
