import type { SQLInputValue } from 'node:sqlite'
import type { Database } from './database.ts'

/** What every stored object has. Fields that nobody here reads stay unknown; the gate checks them all. */
export type Stored = { id: string; object: string; [field: string]: unknown }

/** What the sandbox knows of an object and Stripe does not show, such as how a test card behaves. */
export type Hidden = { parent?: string; [field: string]: unknown }

export type Filter = {
  /** Equal values, by path inside the object: `customer`, `recurring.interval`. */
  equal?: Record<string, string | number | boolean>
  /** Nothing there, by path. */
  empty?: string[]
  /** One of these values. */
  among?: Record<string, string[]>
  /** The object that the sandbox filed this one under. */
  parent?: string
  created?: { gt?: number; gte?: number; lt?: number; lte?: number }
}

export type Slice = { limit: number; after?: string; before?: string }

export type Objects = {
  find(id: string): Stored | null
  hidden(id: string): Hidden
  insert(object: Stored, created: number, hidden?: Hidden): void
  save(object: Stored): void
  saveHidden(id: string, hidden: Hidden): void
  /** Newest first, unless `before` asks for the page above an object; one more than `limit` tells whether there is more. */
  list(type: string, filter: Filter, slice: Slice): Stored[]
  count(type: string, filter?: Filter): number
  remove(id: string): void
}

export function makeObjects(db: Database): Objects {
  return {
    find(id) {
      const row = db.get<{ data: string }>('SELECT data FROM objects WHERE id = ?', id)
      return row === undefined ? null : (JSON.parse(row.data) as Stored)
    },
    hidden(id) {
      const row = db.get<{ hidden: string }>('SELECT hidden FROM objects WHERE id = ?', id)
      return row === undefined ? {} : (JSON.parse(row.hidden) as Hidden)
    },
    insert(object, created, hidden = {}) {
      db.run(
        'INSERT INTO objects (id, type, created, data, hidden) VALUES (?, ?, ?, ?, ?)',
        object.id,
        object.object,
        created,
        JSON.stringify(object),
        JSON.stringify(hidden),
      )
    },
    save(object) {
      db.run('UPDATE objects SET data = ? WHERE id = ?', JSON.stringify(object), object.id)
    },
    saveHidden(id, hidden) {
      db.run('UPDATE objects SET hidden = ? WHERE id = ?', JSON.stringify(hidden), id)
    },
    list(type, filter, slice) {
      const { where, values } = conditions(type, filter)
      const upward = slice.before !== undefined
      const cursor = slice.before ?? slice.after
      if (cursor !== undefined) {
        where.push(`seq ${upward ? '>' : '<'} (SELECT seq FROM objects WHERE id = ?)`)
        values.push(cursor)
      }
      const rows = db.all<{ data: string }>(
        `SELECT data FROM objects WHERE ${where.join(' AND ')} ORDER BY seq ${upward ? 'ASC' : 'DESC'} LIMIT ?`,
        ...values,
        slice.limit,
      )
      return rows.map((row) => JSON.parse(row.data) as Stored)
    },
    count(type, filter = {}) {
      const { where, values } = conditions(type, filter)
      const row = db.get<{ n: number }>(
        `SELECT count(*) AS n FROM objects WHERE ${where.join(' AND ')}`,
        ...values,
      )
      return row?.n ?? 0
    },
    remove(id) {
      db.run('DELETE FROM objects WHERE id = ?', id)
    },
  }
}

function conditions(type: string, filter: Filter): { where: string[]; values: SQLInputValue[] } {
  const where = ['type = ?']
  const values: SQLInputValue[] = [type]
  for (const [path, value] of Object.entries(filter.equal ?? {})) {
    where.push(`json_extract(data, '${jsonPath(path)}') = ?`)
    values.push(typeof value === 'boolean' ? Number(value) : value)
  }
  for (const path of filter.empty ?? []) where.push(`json_extract(data, '${jsonPath(path)}') IS NULL`)
  for (const [path, choices] of Object.entries(filter.among ?? {})) {
    where.push(`json_extract(data, '${jsonPath(path)}') IN (${choices.map(() => '?').join(', ')})`)
    values.push(...choices)
  }
  if (filter.parent !== undefined) {
    where.push(`json_extract(hidden, '$.parent') = ?`)
    values.push(filter.parent)
  }
  const bounds = { gt: '>', gte: '>=', lt: '<', lte: '<=' } as const
  for (const [name, operator] of Object.entries(bounds)) {
    const bound = filter.created?.[name as keyof typeof bounds]
    if (bound === undefined) continue
    where.push(`created ${operator} ?`)
    values.push(bound)
  }
  return { where, values }
}

/** Paths come from this program only; checked all the same, since they stand inside the statement. */
function jsonPath(path: string): string {
  if (!/^[a-z_]+(\.[a-z_]+)*$/.test(path)) throw new Error(`${path} is no path of an object.`)
  return `$.${path}`
}
