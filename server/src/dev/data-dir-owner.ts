import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'

/** The right to use a data directory; at most one process of all that see the folder has it. */
export type DataDirOwner = {
  /** Absolute. */
  dataDir: string
  release(): void
}

const SQLITE_BUSY = 5
/** The winner writes its name right after it has the lock. */
const NAMING_MS = 100

/** Kept from being collected as garbage, which would close them. */
const locks = new Set<DatabaseSync>()

/**
 * Takes the data directory for this process, until `release` or the end of the process, however it ends. The lock is the
 * operating system's, on a file that SQLite opens, since Node cannot lock files itself; `owner.txt` beside it names
 * the owner for people. The lock file is never removed: a process that has it open would keep a lock that nobody else
 * sees.
 * @param dataDir made if missing
 * @throws when another Tradepost has it, naming which
 */
export async function ownDataDir(dataDir: string): Promise<DataDirOwner> {
  const folder = resolve(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const nameFile = join(folder, 'owner.txt')
  const lock = takeLock(join(folder, 'owner.lock'))
  if (!lock) {
    await pause(NAMING_MS)
    throw new Error(
      `Tradepost is already running on this data directory (${readName(nameFile)}). Stop it, or set another DATA_DIR.`,
    )
  }
  locks.add(lock)
  const since = new Date().toISOString().slice(0, 16).replace('T', ' ')
  writeFileSync(nameFile, `process ${process.pid}, since ${since} UTC\n`, { mode: 0o600 })
  return {
    dataDir: folder,
    release() {
      if (!locks.delete(lock)) return
      rmSync(nameFile, { force: true })
      lock.close()
    },
  }
}

/** @returns null when somebody else has it */
function takeLock(file: string): DatabaseSync | null {
  const lock = new DatabaseSync(file)
  try {
    // Nothing is ever written, so no journal is needed. Of two that try "begin exclusive" at once both can fail; of two
    // that try "begin immediate" one has it.
    lock.exec('pragma journal_mode = memory')
    lock.exec('begin immediate')
    return lock
  } catch (error) {
    lock.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY) return null
    throw error
  }
}

function readName(nameFile: string): string {
  try {
    return readFileSync(nameFile, 'utf8').trim()
  } catch {
    return 'its process is not known'
  }
}
