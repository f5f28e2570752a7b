/** First half of the advisory lock that a living worker holds; the second is its number. */
export const WORKER_LOCK_CLASS = 7_238

/** A query for the numbers of workers whose session is alive. */
export const LIVING_WORKERS = `select objid::bigint::int as number from pg_locks
  where locktype = 'advisory' and classid = ${WORKER_LOCK_CLASS} and objsubid = 2 and granted
    and database = (select oid from pg_database where datname = current_database())`
