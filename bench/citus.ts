/**
 * `node bench/citus.ts build | tests [files …] | ratio | faults`: the product on Citus, which is PostgreSQL distributed over several
 * servers (docs/operations.md, Citus). `CITUS_SRC` names Citus's sources; a build is kept in .cache/citus.
 */
import { buildCitus, CannotBuild } from './citus/build.ts'
import { faultsOfCitus } from './citus/faults.ts'
import { ratioOfCitus } from './citus/ratio.ts'
import { testOnCitus } from './citus/tests.ts'

const commands: Record<string, (bin: string, rest: string[]) => Promise<boolean>> = {
  async build(bin) {
    console.log(`Citus is built: ${bin}`)
    return true
  },
  faults: faultsOfCitus,
  ratio: ratioOfCitus,
  tests: testOnCitus,
}

const [name = '', ...rest] = process.argv.slice(2)
const command = commands[name]
if (!command) {
  console.error(`Say one of: ${Object.keys(commands).join(', ')}`)
  process.exit(1)
}
try {
  process.exit((await command(buildCitus(), rest)) ? 0 : 1)
} catch (error) {
  if (!(error instanceof CannotBuild)) throw error
  console.error(error.message)
  process.exit(1)
}
