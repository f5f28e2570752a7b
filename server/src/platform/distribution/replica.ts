import type { Versioned } from '../cache/read-versions.queries.ts'
import { openPool } from '../database/database.ts'
import type { Queryable } from '../database/queryable.ts'
import { type Log, reasonOf } from '../log.ts'
import { noteReplica } from '../metrics.ts'
import { judgeReplica } from './replica.queries.ts'

/** A replica that is away costs a request no longer than this before the primary is asked, which has four seconds of its own. */
const CONNECT_TIMEOUT_MS = 500
const QUERY_TIMEOUT_MS = 1000
const ASK_EVERY_MS = 1000

/** By trader, the number of an event. */
type LastEvents = ReadonlyMap<string, number>
/** Versions of the tables that are read, beside those of traders' events. */
type Versions = ReadonlyMap<Versioned, string>
const NONE: Versions = new Map()

/**
 * The database for reads of other people's data (ADR 0064): a replica, where there is one. Data that a person may have changed
 * themselves, and all that decides which data they may see, is read from the primary.
 */
export type ReadsOfOthers = {
  /** Whether such reads leave the primary at all; where they do not, nobody has to ask for numbers first. */
  readonly apart: boolean
  /**
   * Reads from the replica if it has every one of these events and is not far behind, else from the primary. So nobody misses what
   * a mail or a live feed has already announced to them.
   * @param seen the last events of the traders that are read, as the primary has them; none where only age counts
   * @param read may be run twice, first on one and then on the other
   * @param versions that the primary has, of what has one: who is suspended, where they are left out of what is read
   */
  read<Found>(seen: LastEvents, read: (db: Queryable) => Promise<Found>, versions?: Versions): Promise<Found>
  close(): Promise<void>
}

export function readAllFromPrimary(db: Queryable): ReadsOfOthers {
  return { apart: false, read: (_seen, read) => read(db), close: async () => undefined }
}

/**
 * @param options.url of a streaming replica, or of what spreads connections over several
 * @param options.size connections of this process at most
 */
export function readOthersFromReplica(options: {
  url: string
  primary: Queryable
  size: number
  log: Log
}): ReadsOfOthers {
  const replica = new Replica(options)
  return {
    apart: true,
    async read(seen, read, versions = NONE) {
      const found = await replica.read({ seen, versions }, read)
      return found ? found.answer : read(options.primary)
    },
    close: () => replica.close(),
  }
}

/** Asks a replica once. @returns why it is left alone; null when it is used */
export async function findReplicaFault(url: string): Promise<string | null> {
  const pool = openReplica(url, 1)
  try {
    const { fresh } = await judgeReplica(pool.db, new Map(), NONE)
    return fresh ? null : BEHIND
  } catch {
    return 'does not answer'
  } finally {
    await pool.connections.end(pool.db.destroy())
  }
}

const BEHIND = 'more than 10 s behind'

function openReplica(url: string, size: number) {
  const config = {
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  }
  // A read that fails there is answered by the primary, and logged once.
  return openPool(config, size, { lost: () => undefined, failed: () => undefined })
}

/** Asked once a second whether it is there and fresh; while it is not, it is left alone. */
class Replica {
  readonly #pool: ReturnType<typeof openPool>
  readonly #log: Log
  readonly #asking: NodeJS.Timeout
  /** Why it is left alone; null while it is used. */
  #fault: string | null = 'not asked yet'

  constructor({ url, size, log }: { url: string; size: number; log: Log }) {
    this.#log = log
    this.#pool = openReplica(url, size)
    noteReplica(false)
    this.#asking = setInterval(() => this.#ask(), ASK_EVERY_MS).unref()
    void this.#ask()
  }

  /** @returns null when the primary has to be asked */
  async read<Found>(
    { seen, versions }: { seen: LastEvents; versions: Versions },
    read: (db: Queryable) => Promise<Found>,
  ): Promise<{ answer: Found } | null> {
    if (this.#fault !== null) return null
    try {
      // On one connection: another one may lead to another replica.
      return await this.#pool.db.connection().execute(async (db) => {
        const { fresh, complete } = await judgeReplica(db, seen, versions)
        if (!fresh) this.#leaveAlone(BEHIND)
        return fresh && complete ? { answer: await read(db) } : null
      })
    } catch (error) {
      this.#leaveAlone(reasonOf(error))
      return null
    }
  }

  close(): Promise<void> {
    clearInterval(this.#asking)
    return this.#pool.connections.end(this.#pool.db.destroy())
  }

  async #ask(): Promise<void> {
    try {
      const { fresh } = await this.#pool.db.connection().execute((db) => judgeReplica(db, new Map(), NONE))
      if (!fresh) return this.#leaveAlone(BEHIND)
      if (this.#fault !== null) this.#log.info('what others did is read from the replica')
      this.#fault = null
      noteReplica(true)
    } catch (error) {
      this.#leaveAlone(reasonOf(error))
    }
  }

  #leaveAlone(reason: string): void {
    if (this.#fault !== reason)
      this.#log.warn({ reason }, 'what others did is read from the primary: the replica is not used')
    this.#fault = reason
    noteReplica(false)
  }
}
