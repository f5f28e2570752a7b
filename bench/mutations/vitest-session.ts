/**
 * A process that keeps vitest and the PostgreSQL of its global set-up running in a copy of the project, and runs the test files
 * that it is asked for (an IPC message), again and again.
 */
import { join, relative } from 'node:path'
import {
  BaseSequencer,
  createVitest,
  type Reporter,
  type TestModule,
  type TestSpecification,
} from 'vitest/node'

export type SessionRequest = {
  /** Test files, as paths in the project, in the order in which they are to run. */
  tests: string[]
  /** A source that has changed since the last request. */
  changed: string | null
  /** Whether the first failure ends the run. */
  bail: boolean
}
export type TestFileResult = { file: string; ms: number; failures: string[] }
/** @property broken why nothing could be run: the global set-up failed */
export type SessionAnswer = { files: TestFileResult[]; errors: string[]; broken: string | null }

const tree = process.env.MUTATION_TREE ?? ''
let order: string[] = []
let before: string | null = null
/** The global set-up runs in this process; see hits.mjs. */
process.env.MUTATION_SESSION = String(process.pid)

class InOrder extends BaseSequencer {
  override sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return Promise.resolve(files.toSorted((a, b) => order.indexOf(a.moduleId) - order.indexOf(b.moduleId)))
  }
}

/** The modules that have ended in this run: vitest's own answer holds all modules since its start. */
let ended: TestModule[] = []
const reporter: Reporter = {
  onTestModuleEnd(module) {
    ended.push(module)
  },
}
const vitest = await createVitest(
  'test',
  { config: join(import.meta.dirname, 'vitest.config.ts'), root: tree, watch: false, reporters: [reporter] },
  { test: { sequence: { sequencer: InOrder } } },
)
const specifications = await vitest.globTestSpecifications()

async function run({ tests, changed, bail }: SessionRequest): Promise<SessionAnswer> {
  order = tests.map((test) => join(tree, test))
  ended = []
  // The source from before the mutant is on the disk again.
  for (const file of new Set([before, changed])) if (file) vitest.invalidateFile(join(tree, file))
  before = changed
  vitest.config.bail = bail ? 1 : 0
  const chosen = specifications.filter(({ moduleId }) => order.includes(moduleId))
  const { unhandledErrors } = await vitest.runTestSpecifications(chosen)
  return {
    files: ended.map((module) => ({
      file: relative(tree, module.moduleId),
      ms: Math.round(module.diagnostic().duration + module.diagnostic().collectDuration),
      failures: failuresOf(module),
    })),
    errors: unhandledErrors.map((error) => String((error as Error).message ?? error)),
    broken: null,
  }
}

function failuresOf(module: TestModule): string[] {
  const failed = [...module.children.allTests('failed')]
  const suites = [module, ...module.children.allSuites()]
  return [
    ...suites.flatMap((suite) => suite.errors().map(({ message }) => `${message}`)),
    ...failed.map((test) => `${test.fullName}: ${wordsOf(test.result().errors?.[0])}`),
  ].map((text) => text.slice(0, 300))
}

/** A poll that gave up has its reason in its cause alone. */
function wordsOf(error: { message: string; cause?: unknown } | undefined): string {
  const cause = (error?.cause as Error | undefined)?.message
  return `${cause ? `${cause} ` : ''}${error?.message ?? ''}`
}

process.on('message', (request: SessionRequest) => {
  run(request).then(
    (answer) => process.send?.(answer),
    (error: Error) => process.send?.({ files: [], errors: [], broken: String(error.stack) }),
  )
})
process.on('SIGTERM', () => {
  vitest.close().finally(() => process.exit(0))
})
process.on('disconnect', () => {
  vitest.close().finally(() => process.exit(0))
})
process.send?.(specifications.map(({ moduleId }) => moduleId.slice(tree.length + 1)))
