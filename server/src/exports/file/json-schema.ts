import { exportTables } from '../tables/all-tables.ts'
import type { ColumnKind, Columns } from '../tables/export-table.ts'
import { TOTALS } from './totals.ts'

/** Of the form of the file; a change that a reader would stumble over raises it. */
export const EXPORT_VERSION = 1

type Schema = Record<string, unknown>

const UUID = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
const INSTANT = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$'
const KINDS: Readonly<Record<ColumnKind, Schema>> = {
  id: { type: 'string', pattern: UUID },
  text: { type: 'string' },
  decimal: { type: 'string', pattern: '^-?\\d+(\\.\\d+)?$', description: 'A decimal number, exact.' },
  count: { type: 'integer' },
  flag: { type: 'boolean' },
  instant: { type: 'string', pattern: INSTANT, description: 'ISO 8601 in UTC.' },
  day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  json: { type: 'string', description: 'JSON.' },
}

/** The JSON Schema (2020-12) of the file's `data.json`, made from the tables that write it. */
export function exportSchema(): Schema {
  const tables = [...exportTables, { name: 'totals', holds: 'Sums over this file.', columns: TOTALS }]
  const arrays = tables.map(({ columns, holds, name }) => [
    name,
    { type: 'array', description: holds, items: rowSchema(columns) },
  ])
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...objectOf({
      format: { const: 'tradepost-data' },
      version: { const: EXPORT_VERSION },
      made_at: KINDS.instant,
      ...Object.fromEntries(arrays),
    }),
  }
}

function rowSchema(columns: Columns): Schema {
  return objectOf(
    Object.fromEntries(Object.entries(columns).map(([name, kind]) => [name, columnSchema(kind)])),
  )
}

function columnSchema(kind: string): Schema {
  const schema = KINDS[kind.replace('?', '') as ColumnKind]
  return kind.endsWith('?') ? { ...schema, type: [schema.type, 'null'] } : schema
}

function objectOf(properties: Record<string, Schema>): Schema {
  return { type: 'object', properties, required: Object.keys(properties), additionalProperties: false }
}
