/**
 * `node scripts/acceptance.ts`: every statement of the product has one test that can prove it or a reason, and every id in a
 * test's tags is a statement; exit 1 names what is wrong. With `--print` it prints each statement with its test, or those of
 * the ids that follow.
 */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { areas, reasons } from './acceptance-list.ts'
import { findFaults, printRegister, readProvingTests } from './acceptance-register.ts'

const root = join(import.meta.dirname, '..')
const TESTS = [
  '{contract,record,emails,sandbox,server,web}/{src,test}/**/*.test.{ts,tsx}',
  'scripts/*.test.ts',
  'e2e/*.spec.ts',
]

const tests = globSync(TESTS, { cwd: root })
  .sort()
  .flatMap((file) => readProvingTests(file, readFileSync(join(root, file), 'utf8')))
const register = { areas, reasons, tests }
const faults = findFaults(register)
const [option, ...ids] = process.argv.slice(2)
if (option === '--print') process.stdout.write(printRegister(register, ids))
for (const fault of faults) console.error(fault)
process.exitCode = faults.length === 0 ? 0 : 1
