import type { EventReader } from '../src/events/event-reader.ts'
import { startReaders } from '../src/events/run-readers.ts'
import type { Clock } from '../src/platform/clock.ts'
import type { Log } from '../src/platform/log.ts'
import type { RunningWork } from '../src/work/run-work.ts'
import { openWorkSession } from '../src/work/work-session.ts'
import { silentLog, type TestDatabase } from './database/database.ts'

/** Runs readers as a worker of their own does. @param through an address of the database for its session, and where it logs */
export function runReaders(
  database: TestDatabase,
  clock: Clock,
  readers: EventReader[],
  through: { databaseUrl?: string; log?: Log } = {},
): RunningWork {
  const { databaseUrl = database.url, log = silentLog } = through
  const session = openWorkSession({ ...database, databaseUrl, clock, log })
  const running = startReaders({ ...database, session, clock, log, readers })
  return {
    wake: running.wake,
    async stop() {
      await running.stop()
      await session.end()
    },
  }
}
