/**
 * `node scripts/record-statements.ts`: writes down which statements the server sends now, as those of the previous release for every
 * migration to come (server/test/database/previous-statements.json, CONTRIBUTING.md). It runs all tests of the server, ten minutes or so,
 * and notes the product's statements meanwhile. To be run at a release, and committed with it.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const root = join(import.meta.dirname, '..')
const RECORD = 'server/test/database/previous-statements.json'
const LONGEST_MS = 60 * 60_000

type Noted = { file: string; text: string }

/** @returns by file below server/src, in order: a record of the same code is the same */
function inOrder(noted: Noted[]): Record<string, string[]> {
  const byFile = Object.groupBy(noted, ({ file }) => file)
  const entries = Object.entries(byFile).map(([file, ofFile = []]): [string, string[]] => [
    file,
    [...new Set(ofFile.map(({ text }) => text))].sort(),
  ])
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)))
}

function lastMigration(): string {
  const names = readdirSync(join(root, 'server/migrations')).filter((name) => name.endsWith('.sql'))
  return names.sort().at(-1) ?? ''
}

const folder = mkdtempSync(join(tmpdir(), 'tradepost-statements-'))
try {
  const hook = pathToFileURL(join(root, 'scripts/note-statements.ts')).href
  const run = spawnSync(join(root, 'node_modules/.bin/vitest'), ['run', '--project', 'server'], {
    cwd: root,
    stdio: 'inherit',
    timeout: LONGEST_MS,
    env: { ...process.env, STATEMENTS_FOLDER: folder, NODE_OPTIONS: `--import ${hook}` },
  })
  const noted = readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8').trim().split('\n'),
  )
  const statements = inOrder(noted.map((line) => JSON.parse(line) as Noted))
  const record = { migration: lastMigration(), statements }
  writeFileSync(join(root, RECORD), `${JSON.stringify(record, null, 2)}\n`)
  console.log(`${Object.values(statements).flat().length} statements are in ${RECORD}.`)
  if (run.status !== 0) console.error('Tests failed: statements that only these reach are missing.')
  process.exitCode = run.status ?? 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
