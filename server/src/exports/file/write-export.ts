import { BRAND } from '@tradepost/contract/brand'
import { exportTables } from '../tables/all-tables.ts'
import type { Person, Row, Source } from '../tables/export-table.ts'
import { makeArchive } from './archive.ts'
import { csvHead, csvLine } from './csv.ts'
import { EXPORT_VERSION, exportSchema } from './json-schema.ts'
import { makeTotals, TOTALS, type Totals } from './totals.ts'

/** Contents of one file in the archive, some text at a time. */
type Entry = { name: string; texts: () => AsyncIterable<string> | Iterable<string> }

/**
 * Everything that is kept about a person, as a zip archive: `data.json`, its schema, and a file of CSV for each table (rule G-118). It is
 * written as it is read: whoever takes the bytes decides how fast, and between two of them nothing is held but one page of rows
 * (ADR 0122). Each statement is of its own moment; rows that were made after `person.at` are left out.
 */
export async function* writeExport(source: Source, person: Person): AsyncGenerator<Uint8Array> {
  const archive = makeArchive(person.at)
  for (const { name, texts } of entriesOf(source, person)) {
    const file = archive.begin(name)
    for await (const text of texts()) {
      await file.write(text)
      yield* archive.written()
    }
    await file.end()
    yield* archive.written()
  }
  archive.end()
  yield* archive.written()
}

/** The name of the archive for whoever saves it. @param at UTC */
export function exportFileName(at: Date): string {
  return `${BRAND.toLowerCase()}-data-${at.toISOString().slice(0, 10)}.zip`
}

function* entriesOf(source: Source, person: Person): Generator<Entry> {
  const totals = makeTotals()
  yield { name: 'README.txt', texts: () => [readme(person.at)] }
  yield { name: 'schema.json', texts: () => [`${JSON.stringify(exportSchema(), null, 2)}\n`] }
  yield { name: 'data.json', texts: () => jsonTexts(source, person, totals) }
  for (const table of exportTables) {
    const { columns, name } = table
    yield {
      name: `csv/${name}.csv`,
      async *texts() {
        yield csvHead(columns)
        for await (const rows of table.pages(source, person))
          yield rows.map((row) => csvLine(columns, row)).join('')
      },
    }
  }
  yield {
    name: 'csv/totals.csv',
    texts: () => [csvHead(TOTALS), ...totals.rows().map((row) => csvLine(TOTALS, row))],
  }
}

/** @param totals are summed on the way */
async function* jsonTexts(source: Source, person: Person, totals: Totals): AsyncGenerator<string> {
  const head = { format: 'tradepost-data', version: EXPORT_VERSION, made_at: person.at.toISOString() }
  yield JSON.stringify(head).slice(0, -1)
  for (const table of exportTables) {
    yield `,\n${JSON.stringify(table.name)}:[`
    let before = '\n'
    for await (const rows of table.pages(source, person)) {
      for (const row of rows) totals.add(table.name, row)
      if (rows.length > 0) yield before + jsonRows(rows)
      if (rows.length > 0) before = ',\n'
    }
    yield ']'
  }
  yield `,\n"totals":[\n${jsonRows(totals.rows())}]}\n`
}

function jsonRows(rows: readonly Row[]): string {
  return rows.map((row) => JSON.stringify(row)).join(',\n')
}

function readme(at: Date): string {
  const tables = exportTables.map(({ holds, name }) => `${name}\r\n  ${holds}\r\n`)
  return `Everything that ${BRAND} keeps about you, as of ${at.toISOString()}.\r
\r
data.json holds all of it; schema.json says how it is built (JSON Schema).\r
The folder csv holds the same as tables, for spreadsheets. An apostrophe before\r
=, +, - or @ was put there so that no text is taken for a formula. Times are in\r
UTC, prices in US dollars, gains in percent, amounts in the smallest unit of\r
their currency. The names of other people are left out, but for the traders\r
you follow or followed.\r
\r
${tables.join('')}totals\r
  Sums over this file: positions without those that were struck.\r
`
}
