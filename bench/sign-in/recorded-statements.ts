import type { PostgresPool, PostgresPoolClient } from 'kysely'
import type pg from 'pg'
import { newId } from '../../server/src/platform/ids.ts'

/** A statement that was seen, with its parameters and its answer. */
export type Spoken = {
  text: string
  values: unknown[] | undefined
  rowCount: number | null
  row: Record<string, unknown> | undefined
}

/** The values of one request by name; `now` and those that the statements of a recording learn from one another. */
export type Moment = { now: Date; [name: string]: unknown }

/** Sends a recorded conversation again with the values of another request; adds to `moment` what the database answers. */
export type Replay = (pool: PostgresPool, moment: Moment) => Promise<void>

type Step = {
  text: string
  values: ((moment: Moment) => unknown)[] | undefined
  rowCount: number | null
  learns: [column: string, name: string][]
}

/** Records the statements of the pool's connections while `work` runs, and their answers. */
export async function listenIn(pool: pg.Pool, work: () => Promise<unknown>): Promise<Spoken[]> {
  const spoken: Spoken[] = []
  const connect = pool.connect.bind(pool)
  pool.connect = (async () => {
    const client = await connect()
    const query = client.query as (text: string, values?: unknown[]) => Promise<pg.QueryResult>
    const release = client.release.bind(client)
    client.query = (async (text: string, values?: unknown[]) => {
      const result = await query.call(client, text, values)
      spoken.push({ text, values, rowCount: result.rowCount, row: result.rows[0] })
      return result
    }) as typeof client.query
    client.release = (error) => {
      client.query = query as typeof client.query
      client.release = release
      release(error)
    }
    return client
  }) as typeof pool.connect
  try {
    await work()
  } finally {
    pool.connect = connect
  }
  return spoken
}

/**
 * Turns a recording into one that can be repeated for any request.
 * @param names the values of the recorded request that belong to it alone. Instants keep their distance to `now`, and
 *   new ids are drawn for those that are not named
 */
export function makeReplay(spoken: Spoken[], names: Record<string, unknown>, recordedAt: Date): Replay {
  const steps: Step[] = spoken.map(({ text, values, rowCount, row }) => ({
    text,
    values: values?.map((value) => standIn(value, names, recordedAt)),
    rowCount,
    learns: Object.entries(row ?? {}).flatMap(([column, value]) =>
      Object.entries(names).flatMap(([name, known]): [string, string][] =>
        isSame(value, known) ? [[column, name]] : [],
      ),
    ),
  }))
  return async (pool, moment) => {
    const client = await pool.connect()
    try {
      for (const step of steps) await repeat(client, step, moment)
    } finally {
      client.release()
    }
  }
}

async function repeat(client: PostgresPoolClient, step: Step, moment: Moment): Promise<void> {
  const values = step.values?.map((value) => value(moment)) ?? []
  const { rowCount, rows } = await client.query<Record<string, unknown>>(step.text, values)
  // With fewer rows it would be less work than the recorded one. A list of somebody's earlier acts grows with the rounds.
  if ((rowCount ?? 0) < (step.rowCount ?? 0))
    throw new Error(`${rowCount} rows, not ${step.rowCount}: ${step.text}`)
  for (const [column, name] of step.learns) moment[name] = rows[0]?.[column]
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/

function standIn(
  value: unknown,
  names: Record<string, unknown>,
  recordedAt: Date,
): (moment: Moment) => unknown {
  if (Array.isArray(value)) {
    const items = value.map((item) => standIn(item, names, recordedAt))
    return (moment) => items.map((item) => item(moment))
  }
  if (value instanceof Date) {
    const distance = value.getTime() - recordedAt.getTime()
    return ({ now }) => new Date(now.getTime() + distance)
  }
  const same = Object.keys(names).find((name) => isSame(value, names[name]))
  if (same) return (moment) => moment[same]
  if (typeof value !== 'string') return () => value
  if (UUID.test(value)) return newId
  const within = Object.entries(names).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string' && value.includes(entry[1]),
  )
  return (moment) =>
    within.reduce((text, [name, known]) => text.replaceAll(known, String(moment[name])), value)
}

function isSame(value: unknown, known: unknown): boolean {
  if (Buffer.isBuffer(value) && Buffer.isBuffer(known)) return value.equals(known)
  return (typeof value === 'string' || typeof value === 'number') && value === known
}
