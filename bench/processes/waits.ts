import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import { parentOf } from './processor-time.ts'

const LOOK_EVERY_MS = 20

/**
 * How sessions of a database were seen: `working` is executing or waiting within a statement, by kind of wait (`none` where it waits for
 * nothing); `between` is within a transaction and waiting for the product's next word.
 */
export type Seen = {
  looks: number
  working: Map<string, number>
  between: number
  names: Map<string, number>
}

/** A session of its own that looks at all others every 20 ms. */
export type Watcher = AsyncDisposable & {
  /** Process id of the server's first process. */
  postmaster: number
  /** Looks while `work` goes on. */
  during<Result>(work: () => Promise<Result>): Promise<{ result: Result; seen: Seen }>
}

export async function watchSessions(url: string): Promise<Watcher> {
  const client = new DatabaseClient({ connectionString: url })
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return {
    postmaster: parentOf(rows[0]?.pid ?? 0) ?? 0,
    async during(work) {
      const seen: Seen = { looks: 0, working: new Map(), between: 0, names: new Map() }
      let over = false
      const looking = (async () => {
        for (; !over; await pause(LOOK_EVERY_MS)) await look(client, seen)
      })()
      try {
        return { result: await work(), seen }
      } finally {
        over = true
        await looking
      }
    },
    async [Symbol.asyncDispose]() {
      await client.end()
    },
  }
}

type Session = { state: string; kind: string | null; name: string | null }

async function look(client: pg.Client, seen: Seen): Promise<void> {
  const { rows } = await client.query<Session>({
    name: 'look',
    text: `select state, wait_event_type as kind, wait_event as name from pg_stat_activity
      where backend_type = 'client backend' and pid <> pg_backend_pid() and state <> 'idle'`,
  })
  seen.looks += 1
  for (const { state, kind, name } of rows) {
    if (state !== 'active') {
      seen.between += 1
      continue
    }
    add(seen.working, kindOf(kind, name), 1)
    if (kind) add(seen.names, `${kind} ${name}`, 1)
  }
}

/**
 * One session writes the log of the database to the disk for all that commit meanwhile; they wait for it at a light-weight lock, and so
 * for the disk.
 */
function kindOf(kind: string | null, name: string | null): string {
  return name === 'WALWrite' ? 'IO' : (kind ?? 'none')
}

/** @returns all of them together */
export function together(all: Seen[]): Seen {
  const sum: Seen = { looks: 0, working: new Map(), between: 0, names: new Map() }
  for (const { looks, working, between, names } of all) {
    sum.looks += looks
    sum.between += between
    for (const [kind, count] of working) add(sum.working, kind, count)
    for (const [name, count] of names) add(sum.names, name, count)
  }
  return sum
}

function add(counts: Map<string, number>, key: string, count: number): void {
  counts.set(key, (counts.get(key) ?? 0) + count)
}

/** Of the time in which a session works, in percent. */
export function shareOf({ working }: Seen, kind: string): number {
  const whole = [...working.values()].reduce((sum, count) => sum + count, 0)
  return whole === 0 ? 0 : (100 * (working.get(kind) ?? 0)) / whole
}
