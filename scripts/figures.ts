/**
 * `npm run check -- --figures`: how the sources measure, a column a workspace. It judges nothing; CONTRIBUTING.md explains what the
 * figures are for.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findCircles, readImportGraph } from './import-graph.ts'
import { TEST, WORKSPACES } from './layers.ts'
import { type Measured, measureSource, percentile } from './measure-source.ts'
import { listFiles } from './references.ts'

const root = join(import.meta.dirname, '..')
const TESTS = new RegExp(`${TEST}|^e2e/`)
/** Written by a program. */
const GENERATED = 'server/src/platform/database/schema.ts'

type Read = Measured & { path: string; isTest: boolean }

const read: Read[] = listFiles(root)
  .filter((path) =>
    /^(contract|record|emails|server|web|sandbox)\/(src|test)\/.*\.tsx?$|^e2e\/.*\.ts$/.test(path),
  )
  .filter((path) => !path.endsWith('.d.ts') && path !== GENERATED)
  .map((path) => ({
    path,
    isTest: TESTS.test(path),
    ...measureSource(path, readFileSync(join(root, path), 'utf8')),
  }))
const circles = findCircles(readImportGraph(root).files)

const sum = (numbers: number[]) => numbers.reduce((total, number) => total + number, 0)
const percentiles = (numbers: number[]) =>
  [percentile(numbers, 0.5), percentile(numbers, 0.95), Math.max(0, ...numbers)].join(' ')

/** @param place a workspace's folder with its slash; '' for all, the journeys' tests among them */
function column(place: string): Record<string, string | number> {
  const here = read.filter(({ path }) => path.startsWith(place))
  const sources = here.filter(({ isTest }) => !isTest)
  const lines = sum(sources.map((file) => file.lines))
  const testLines = sum(here.filter(({ isTest }) => isTest).map((file) => file.lines))
  const closed = circles.filter(([first = '']) => first.startsWith(place))
  return {
    'source files': sources.length,
    'source lines': lines,
    'lines a file: p50 p95 max': percentiles(sources.map((file) => file.lines)),
    'lines a function: p50 p95 max': percentiles(sources.flatMap((file) => file.functionLines)),
    'circles, with types': closed.length,
    casts: sum(sources.map((file) => file.casts)),
    'comment lines, %': percent(sum(sources.map((file) => file.commentLines)), lines),
    'test lines': testLines,
    'test lines to source lines': lines === 0 ? '-' : (testLines / lines).toFixed(2),
  }
}

function percent(part: number, whole: number): string {
  return whole === 0 ? '-' : ((part / whole) * 100).toFixed(1)
}

const places = [...Object.keys(WORKSPACES), 'all']
const columns = places.map((place) => column(place === 'all' ? '' : `${place}/`))
const rows = Object.keys(columns[0] ?? {})
const first = Math.max(...rows.map((row) => row.length)) + 2
const widths = places.map((place, at) =>
  Math.max(place.length, ...rows.map((row) => String(columns[at]?.[row]).length)),
)
const line = (head: string, cells: string[]) =>
  head.padEnd(first) + cells.map((cell, at) => cell.padStart((widths[at] ?? 0) + 2)).join('')
console.log(line('', places))
for (const row of rows)
  console.log(
    line(
      row,
      columns.map((cells) => String(cells[row])),
    ),
  )
