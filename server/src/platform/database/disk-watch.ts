import pg from 'pg'
import type { Log } from '../log.ts'

const LOG_EVERY_MS = 60_000
/** Rows of about a kilobyte: room for less is no room. */
const PROBE_ROWS = 1000

/** Whether the database has reported a full disk, and has not written successfully since. */
export type DiskWatch = {
  /** Looks at an error that a statement ended with. */
  note(error: unknown): void
  /** Asks the database, but only after it has reported a full disk. @throws as statements do */
  isFull(pool: pg.Pool): Promise<boolean>
}

export function makeDiskWatch(log: Log): DiskWatch {
  let full = false
  let lastLogged = Number.NEGATIVE_INFINITY
  return {
    note(error) {
      if (!isDiskFull(error)) return
      full = true
      if (performance.now() - lastLogged < LOG_EVERY_MS) return
      lastLogged = performance.now()
      log.error('the disk of the database is full: nothing can be written until there is room on it')
    },
    async isFull(pool) {
      if (!full) return false
      if (!(await canWrite(pool))) return true
      full = false
      lastLogged = Number.NEGATIVE_INFINITY
      log.info('the database can write to its disk again')
      return false
    },
  }
}

/** SQLSTATE 53100. */
function isDiskFull(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === '53100'
}

/** Takes room on the disk and gives it back; nothing of it stays. */
async function canWrite(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    await client.query('begin')
    await client.query(
      `create temporary table disk_probe as select repeat('x', 1000) from generate_series(1, ${PROBE_ROWS})`,
    )
    return true
  } catch (error) {
    if (isDiskFull(error)) return false
    throw error
  } finally {
    await client.query('rollback').catch(() => undefined)
    client.release()
  }
}
