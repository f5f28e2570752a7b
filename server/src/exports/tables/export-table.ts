import type { PriceRights } from '@tradepost/contract/price-rights'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Witnessing } from '../../record/quorum.ts'
import type { KeyedRow, PersonPage } from './person-page.ts'

/**
 * The kind of a column says how it is written into JSON and CSV. `decimal`: digits, exact; `instant`: ISO 8601 UTC with
 * milliseconds; `day`: `2026-11-18`; `json`: a text of JSON. With a question mark it may be empty.
 */
export type ColumnKind = 'id' | 'text' | 'decimal' | 'count' | 'flag' | 'instant' | 'day' | 'json'
export type Columns = Readonly<Record<string, ColumnKind | `${ColumnKind}?`>>

export type Cell = string | number | boolean | null
export type Row = Readonly<Record<string, Cell>>

/** The person of a file, and its instant: rows of later are left out. */
export type Person = { userId: string; email: string; emailHmacs: string[]; at: Date }

/** Where rows are read, and what may be told of prices. */
export type Source = { db: Queryable; witnessing: Witnessing; rights: PriceRights }

/** One table of the file: an array in its JSON, a file of CSV beside that. */
export type ExportTable = {
  name: string
  /** In plain words, for the person. */
  holds: string
  columns: Columns
  /** In one order, some rows at a time: no more than those are held. */
  pages(source: Source, person: Person): AsyncIterable<Row[]>
}

/** Rows of one statement: a page of them is all that is in memory, about 80 kB of the longest. */
export const PAGE_ROWS = 50

type FirstKey = '' | '0' | '00000000-0000-0000-0000-000000000000'
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/** A table whose rows one statement finds by their keys. */
function tableBy(
  first: FirstKey,
  of: Omit<ExportTable, 'pages'> & { select(db: Queryable, page: PersonPage): Promise<KeyedRow[]> },
): ExportTable {
  const { select, ...table } = of
  return {
    ...table,
    async *pages({ db }, person) {
      for (let after: string = first; ; ) {
        const rows = await select(db, { ...person, after, limit: PAGE_ROWS })
        yield rows.map((row) => toRow(table.columns, row))
        const last = rows.at(-1)
        if (!last || rows.length < PAGE_ROWS) return
        after = last.key
      }
    },
  }
}

type Selected = Parameters<typeof tableBy>[1]
export const tableById = (of: Selected): ExportTable => tableBy(FIRST_ID, of)
export const tableByNumber = (of: Selected): ExportTable => tableBy('0', of)
export const tableByText = (of: Selected): ExportTable => tableBy('', of)

/** The columns of a table from what the database answered. */
export function toRow(columns: Columns, values: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(Object.keys(columns).map((name) => [name, toCell(values[name])]))
}

function toCell(value: unknown): Cell {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'object') return JSON.stringify(value)
  return value as Cell
}
