import { writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import type { Reporter, SerializedError, TestModule, TestSpecification } from 'vitest/node'

const root = join(import.meta.dirname, '..')

/** The outcome of one run of vitest; `failures` holds a line or more for each thing that must be mended. */
export type VitestReport = { passed: number; failed: number; failures: string[] }

/**
 * Writes `.cache/vitest.json`, a {@link VitestReport}, when a run of vitest ends. An error outside every test (a promise
 * that nobody awaited, a file that cannot be loaded) counts as a failure and is named: vitest's own JSON report leaves
 * it out, and the lines of its screen that name it are far above the end of `npm test`.
 */
export default class VitestReporter implements Reporter {
  private asked: readonly TestSpecification[] = []

  onTestRunStart: NonNullable<Reporter['onTestRunStart']> = (specifications) => {
    this.asked = specifications
  }

  onTestRunEnd: NonNullable<Reporter['onTestRunEnd']> = (modules, unhandledErrors) => {
    const report = reportRun(this.asked, modules, unhandledErrors)
    writeFileSync(join(root, '.cache/vitest.json'), JSON.stringify(report))
  }
}

/**
 * @param asked the files that the run was of; each without a result is a failure, since vitest reports nothing of a file whose process did
 * not come to it
 */
export function reportRun(
  asked: readonly TestSpecification[],
  modules: readonly TestModule[],
  unhandledErrors: readonly SerializedError[],
): VitestReport {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const withState = (state: string) => tests.filter((test) => test.result().state === state)
  const failures = [
    ...withState('failed').map((test) =>
      failure(`${place(test.module)} › ${test.fullName}`, test.result().errors),
    ),
    ...withState('pending').map((test) => `${place(test.module)} › ${test.fullName}\nended without a result`),
    ...modules.flatMap(suiteFailures),
    ...asked
      .filter((file) => !hasResult(file, modules))
      .map((file) => `${place(file)}\nended without a result`),
    ...unhandledErrors.map((error) => failure('an error outside every test', [error])),
  ]
  return { passed: withState('passed').length, failed: failures.length, failures }
}

/** Whether a file's tests are known, or an error of it explains why they are not. */
function hasResult({ moduleId, project }: TestSpecification, modules: readonly TestModule[]): boolean {
  return modules.some(
    (module) =>
      module.moduleId === moduleId &&
      module.project.name === project.name &&
      (module.children.size > 0 || module.errors().length > 0),
  )
}

/** Errors of a file and of its `describe` blocks, which belong to no test. */
function suiteFailures(module: TestModule): string[] {
  return [module, ...module.children.allSuites()]
    .filter((suite) => suite.errors().length > 0)
    .map((suite) =>
      failure(`${place(module)} › ${suite.type === 'suite' ? suite.fullName : 'the file'}`, suite.errors()),
    )
}

function place({ moduleId }: { moduleId: string }): string {
  return relative(root, moduleId)
}

function failure(
  title: string,
  errors: readonly { message: string; stack?: string | undefined }[] | undefined,
): string {
  return [title, ...(errors ?? []).map((error) => error.stack ?? error.message)].join('\n')
}
