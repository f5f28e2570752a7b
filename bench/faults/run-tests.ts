import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

/**
 * Runs tests of the server at another size than `npm test` does. Throws when one fails.
 * @param files of the server's tests
 * @param sizes environment variables that the tests read
 * @param withinMinutes ends it, and counts as a violation
 */
export function runTests(
  files: string[],
  sizes: Record<string, number | string>,
  withinMinutes: number,
): void {
  const env = Object.entries(sizes).map(([variable, size]) => [variable, String(size)])
  const run = spawnSync(
    join(root, 'node_modules/.bin/vitest'),
    ['run', '--project', 'server', ...files.map((file) => `server/src/${file}.test.ts`)],
    {
      cwd: root,
      stdio: 'inherit',
      timeout: withinMinutes * 60_000,
      env: { ...process.env, ...Object.fromEntries(env), NO_COLOR: '1' },
    },
  )
  assert.equal(run.status, 0)
}
