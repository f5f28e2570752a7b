import { execFileSync } from 'node:child_process'
import { cpSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { copyProduct } from '../../../test/processes/product-copy.ts'

const root = join(import.meta.dirname, '../../../..')

/** A field of each contract, and the one presenter that has to name whatever comes behind it. */
const CONTRACTS: [file: string, after: string, presenter: string][] = [
  ['activity.ts', 'openNotes: z.string(),\n', 'activity/present-event.ts'],
  ['positions.ts', 'publicAt: z.optional(z.string()),\n', 'positions/record/shown-position.ts'],
  ['closed-positions.ts', 'daysHeld: z.int(),\n', 'traders/kept-closed.ts'],
]
const PRESENTERS = CONTRACTS.map(([, , presenter]) => `src/${presenter}`)

/** @returns the files that the compiler refuses, of the presenters and all that they import */
function refused(server: string): string[] {
  const compiled = { composite: false, emitDeclarationOnly: false, noEmit: true, rootDir: '..' }
  const options = { ...compiled, types: ['node'], jsx: 'react-jsx', lib: ['es2024', 'esnext.disposable'] }
  const config = { extends: '../tsconfig.base.json', compilerOptions: options, files: PRESENTERS }
  writeFileSync(join(server, 'tsconfig.json'), JSON.stringify(config))
  cpSync(join(root, 'tsconfig.base.json'), join(server, '../tsconfig.base.json'))
  try {
    execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: server, encoding: 'utf8' })
    return []
  } catch (error) {
    const output = String((error as { stdout?: unknown }).stdout)
    return [...new Set([...output.matchAll(/^(\S+)\(\d+,\d+\)/gm)].map(([, file]) => file ?? output))].sort()
  }
}

test('a new optional field of positions, closed ones or events that their one presenter forgets does not compile', () => {
  using copy = copyProduct()
  for (const [file, after] of CONTRACTS)
    copy.edit(`contract/src/${file}`, after, `${after}  motto: z.optional(z.string()),\n`)
  expect(refused(dirname(dirname(copy.main)))).toEqual(PRESENTERS)
})
