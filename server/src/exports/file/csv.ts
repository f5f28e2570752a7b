import type { Cell, Columns, Row } from '../tables/export-table.ts'

/** Without it Excel reads other letters than those that were written. */
const BYTE_ORDER_MARK = '\uFEFF'
/** RFC 4180, 2. */
const LINE_END = '\r\n'
const NEEDS_QUOTES = /[",\r\n]/
/**
 * A spreadsheet takes a cell that begins so for a formula, and may run it. Blanks before the sign, and the wide forms of the signs, are
 * taken away or mended by some of them.
 */
const BEGINS_FORMULA = /^[\s\u00a0]*[=+\-@\uff1d\uff0b\uff0d\uff20]|^[\t\r\n]/

/** The first line of a table in CSV. */
export function csvHead(columns: Columns): string {
  return BYTE_ORDER_MARK + Object.keys(columns).join(',') + LINE_END
}

/** A row in CSV. Numbers stay numbers, negative ones too; a text that would be a formula gets an apostrophe before it. */
export function csvLine(columns: Columns, row: Row): string {
  const cells = Object.entries(columns).map(([name, kind]) => cellText(row[name] ?? null, isText(kind)))
  return cells.join(',') + LINE_END
}

function isText(kind: string): boolean {
  return kind.startsWith('text') || kind.startsWith('json')
}

function cellText(cell: Cell, isText: boolean): string {
  if (cell === null) return ''
  const text = isText && BEGINS_FORMULA.test(String(cell)) ? `'${cell}` : String(cell)
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
