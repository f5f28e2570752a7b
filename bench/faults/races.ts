/**
 * The races of the rules, a hundred rounds each: two opens of a symbol, two closes, one username by two people, one price
 * key twice, two subscriptions of a pair. The same tests run ten rounds in `npm test`.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

const ROUNDS = 100
const root = join(import.meta.dirname, '../..')

export const runs: Record<string, () => Promise<void>> = {
  'S19-races': async () => {
    const tests = ['accounts/set-username', 'positions/races', 'billing/entitlements/entitlement']
    const run = spawnSync(
      join(root, 'node_modules/.bin/vitest'),
      ['run', '--project', 'server', ...tests.map((test) => `server/src/${test}.test.ts`)],
      { cwd: root, encoding: 'utf8', env: { ...process.env, RACE_ROUNDS: String(ROUNDS), NO_COLOR: '1' } },
    )
    const [passed] = /Tests\s+.*\d+ passed.*/.exec(run.stdout) ?? []
    console.log(`   ${ROUNDS} rounds each; ${passed?.trim() ?? run.stdout + run.stderr}`)
    assert.equal(run.status, 0)
    assert.ok(passed, 'no race was run')
  },
}
