import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, TestModule } from 'vitest/node'

const root = join(import.meta.dirname, '..')

/** What one run of vitest came to; `failures` holds a line or more for each thing that must be mended. */
export type VitestReport = { passed: number; failed: number; failures: string[] }

/**
 * Writes `.cache/vitest.json`, a {@link VitestReport}, when a run of vitest ends. An error outside every test (a promise
 * that nobody awaited, a file that cannot be loaded) counts as a failure and is named: vitest's own JSON report leaves
 * it out, and the lines of its screen that name it are far above the end of `npm test`.
 */
export default class VitestReporter implements Reporter {
  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const failedTests = tests.filter((test) => test.result().state === 'failed')
    const failures = [
      ...failedTests.map((test) => failure(`${place(test.module)} › ${test.fullName}`, test.result().errors)),
      ...modules.flatMap(suiteFailures),
      ...unhandledErrors.map((error) => failure('an error outside every test', [error])),
    ]
    const report: VitestReport = {
      passed: tests.filter((test) => test.result().state === 'passed').length,
      failed: failures.length,
      failures,
    }
    writeFileSync(join(root, '.cache/vitest.json'), JSON.stringify(report))
  }
}

/** Errors of a file and of its `describe` blocks, which belong to no test. */
function suiteFailures(module: TestModule): string[] {
  return [module, ...module.children.allSuites()]
    .filter((suite) => suite.errors().length > 0)
    .map((suite) =>
      failure(`${place(module)} › ${suite.type === 'suite' ? suite.fullName : 'the file'}`, suite.errors()),
    )
}

function place(module: TestModule): string {
  return relative(root, module.moduleId)
}

function failure(
  title: string,
  errors: readonly { message: string; stack?: string | undefined }[] | undefined,
): string {
  return [title, ...(errors ?? []).map((error) => error.stack ?? error.message)].join('\n')
}
