import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')

function checkFloors(...paths: string[]): { status: number | null; output: string } {
  const run = spawnSync(
    join(root, 'node_modules/.bin/depcruise'),
    ['--config', '.dependency-cruiser.cjs', ...paths],
    {
      cwd: root,
      encoding: 'utf8',
    },
  )
  return { status: run.status, output: run.stdout + run.stderr }
}

/** Plants one forbidden import a rule; a checker that reads nothing would let all of them pass. */
const plants: [rule: string, file: string, text: string][] = [
  ['contract-knows-nobody', 'contract/src/planted.ts', "import '../../server/src/platform/clock.ts'\n"],
  [
    'web-knows-only-the-contract',
    'web/src/lib/planted.ts',
    "import '../../../server/src/platform/clock.ts'\n",
  ],
  ['sandbox-knows-nobody', 'sandbox/src/planted.ts', "import '../../contract/src/limits.ts'\n"],
  ['platform-knows-no-feature', 'server/src/platform/planted.ts', "import '../accounts/set-username.ts'\n"],
  ['floor-of-accounts', 'server/src/accounts/planted.ts', "import '../positions/open-position.ts'\n"],
  ['nobody-imports-the-roof', 'server/src/accounts/planted.ts', "import '../app.ts'\n"],
  [
    'web-features-are-neighbours',
    'web/src/features/account/planted.ts',
    "import '../positions/sort-positions.ts'\n",
  ],
  ['only-declared-packages', 'web/src/lib/planted.ts', "import 'pg'\n"],
]

for (const [rule, file, text] of plants) {
  test(`a forbidden import is refused by ${rule}`, () => {
    const path = join(root, file)
    writeFileSync(path, text)
    try {
      const { status, output } = checkFloors(file)
      expect(output).toContain(rule)
      expect(status).not.toBe(0)
    } finally {
      rmSync(path)
    }
  })
}
