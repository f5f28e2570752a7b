/**
 * `node scripts/acceptance.ts`: every statement of the product has one test that can prove it or a reason, every id in a
 * test's tags is a statement, and docs/acceptance.md says so; exit 1 names what is wrong. With `--write` it writes that
 * page again.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas, reasons } from './acceptance-list.ts'
import { findFaults, readProvingTests, writeRegister } from './acceptance-register.ts'

const root = join(import.meta.dirname, '..')
const PAGE = join(root, 'docs/acceptance.md')
const TESTS = [
  '{contract,emails,sandbox,server,web}/{src,test}/**/*.test.{ts,tsx}',
  'scripts/*.test.ts',
  'e2e/*.spec.ts',
]

const tests = globSync(TESTS, { cwd: root })
  .sort()
  .flatMap((file) => readProvingTests(file, readFileSync(join(root, file), 'utf8')))
const register = { areas, reasons, tests }
const faults = findFaults(register)
const page = writeRegister(register)
if (process.argv.includes('--write')) writeFileSync(PAGE, page)
else if (readFileSync(PAGE, 'utf8') !== page) {
  faults.push('docs/acceptance.md is out of date: node scripts/acceptance.ts --write')
}
for (const fault of faults) console.error(fault)
process.exit(faults.length === 0 ? 0 : 1)
