import { KINDS, type Kind, type Kinds, NOTES, type NotedKind, type Notes } from '../model/kinds.ts'
import { type Deleted, type Stored, type StoredAs, storedObject } from '../model/stored.ts'
import { fields, nullable, number, readAs, text } from '../shape/shape.ts'
import type { Database } from './database.ts'
import { conditions, type Filter } from './filter.ts'

export type Slice = { limit: number; after?: string | undefined; before?: string | undefined }

/** How an object is kept beside what it is. */
export type Filed<K extends string> = {
  /** The object that it is filed under. */
  parent?: string
  /** The sandbox's own notes on it, which Stripe does not show. */
  notes?: K extends NotedKind ? Notes[K] : never
}

/** All objects, by their kinds: what is read has the type of its kind. */
export type Objects = {
  /** null when there is none of this kind, or it was deleted. */
  find<K extends Kind>(kind: K, id: string): Kinds[K] | null
  /** The object with this id, also the remainder of a deleted one, to be passed on as it is. */
  look(id: string): Stored | null
  insert<K extends string>(object: StoredAs<K>, created: number, filed: Filed<K>): void
  save(object: Stored): void
  /** Deletes an object; only the remainder stays. */
  bury<K extends Kind>(kind: K, id: string): Deleted<K>
  /** Takes an object out of finds and lists; those that name it still lead to it. */
  hide(id: string): void
  remove(id: string): void
  /** Newest first, unless `before` asks for the page above an object. Deleted objects are not among them. */
  list<K extends Kind>(kind: K, filter: Filter, slice: Slice): Kinds[K][]
  count(kind: Kind, filter?: Filter): number
  parentOf(id: string): string | null
  /** @throws Error when there is no such object */
  notes<K extends NotedKind>(kind: K, id: string): Notes[K]
  /** Changes some of the notes; undefined takes one out. */
  note<K extends NotedKind>(kind: K, id: string, changed: Partial<Notes[K]>): void
}

const dataRow = fields({ data: text })
const parentRow = fields({ parent: nullable(text) })
const hiddenRow = fields({ hidden: text })
const countRow = fields({ n: number })

/** Kinds that leave something of themselves when they are deleted. */
const LEAVES_REMAINS: readonly Kind[] = ['customer', 'product', 'test_helpers.test_clock']

export function makeObjects(db: Database): Objects {
  return { ...readers(db), ...writers(db), ...noteKeepers(db) }
}

function readers(db: Database): Pick<Objects, 'find' | 'look' | 'list' | 'count' | 'parentOf'> {
  return {
    find(kind, id) {
      const row = db.get(dataRow, 'SELECT data FROM objects WHERE id = ? AND type = ?', id, kind)
      if (row === undefined) return null
      const found: unknown = JSON.parse(row.data)
      return isRemains(found) ? null : readAs(KINDS[kind], found, `The stored ${kind} ${id}`)
    },
    look(id) {
      const row = db.get(dataRow, 'SELECT data FROM objects WHERE id = ?', id)
      return row === undefined ? null : readAs(storedObject, JSON.parse(row.data), `The stored ${id}`)
    },
    list(kind, filter, slice) {
      const { where, values } = conditions(kind, whole(kind, filter))
      const upward = slice.before !== undefined
      const cursor = slice.before ?? slice.after
      if (cursor !== undefined) {
        where.push(`seq ${upward ? '>' : '<'} (SELECT seq FROM objects WHERE id = ?)`)
        values.push(cursor)
      }
      const rows = db.all(
        dataRow,
        `SELECT data FROM objects WHERE ${where.join(' AND ')} ORDER BY seq ${upward ? 'ASC' : 'DESC'} LIMIT ?`,
        ...values,
        slice.limit,
      )
      return rows.map((row) => readAs(KINDS[kind], JSON.parse(row.data), `A stored ${kind}`))
    },
    count(kind, filter = {}) {
      const { where, values } = conditions(kind, whole(kind, filter))
      const sql = `SELECT count(*) AS n FROM objects WHERE ${where.join(' AND ')}`
      return db.get(countRow, sql, ...values)?.n ?? 0
    },
    parentOf(id) {
      const sql = "SELECT json_extract(hidden, '$.parent') AS parent FROM objects WHERE id = ?"
      return db.get(parentRow, sql, id)?.parent ?? null
    },
  }
}

function isRemains(found: unknown): boolean {
  return storedObject.is(found) && found.deleted === true
}

/** The filter without deleted objects. */
function whole(kind: Kind, filter: Filter): Filter {
  return LEAVES_REMAINS.includes(kind) ? { ...filter, empty: [...(filter.empty ?? []), 'deleted'] } : filter
}

function writers(db: Database): Pick<Objects, 'insert' | 'save' | 'bury' | 'hide' | 'remove'> {
  const save = (object: Stored) =>
    void db.run('UPDATE objects SET data = ? WHERE id = ?', JSON.stringify(object), object.id)
  return {
    insert(object, created, { parent, notes }) {
      db.run(
        'INSERT INTO objects (id, type, created, data, hidden) VALUES (?, ?, ?, ?, ?)',
        object.id,
        object.object,
        created,
        JSON.stringify(object),
        JSON.stringify({ ...notes, parent }),
      )
    },
    save,
    bury(kind, id) {
      const remains = { id, object: kind, deleted: true } as const
      save(remains)
      return remains
    },
    hide: (id) => void db.run("UPDATE objects SET type = 'hidden' WHERE id = ?", id),
    remove: (id) => void db.run('DELETE FROM objects WHERE id = ?', id),
  }
}

function noteKeepers(db: Database): Pick<Objects, 'notes' | 'note'> {
  const hidden = (id: string) => {
    const row = db.get(hiddenRow, 'SELECT hidden FROM objects WHERE id = ?', id)
    const found: unknown = row === undefined ? undefined : JSON.parse(row.hidden)
    return found
  }
  const notes = <K extends NotedKind>(kind: K, id: string) =>
    readAs(NOTES[kind], hidden(id), `What is noted of the ${kind} ${id}`)
  return {
    notes,
    note(kind, id, changed) {
      const next = { ...notes(kind, id), ...changed }
      db.run('UPDATE objects SET hidden = ? WHERE id = ?', JSON.stringify(next), id)
    },
  }
}
