import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Coverage } from './coverage.ts'
import { type Mutant, mutated } from './mutants.ts'
import { type Session, startSession } from './session.ts'
import { copyTree, readSource, writeSource } from './tree.ts'
import type { SessionAnswer } from './vitest-session.ts'

/** The outcome of a mutant. `timed out`: killed by nothing but a limit of time, which a busy machine can do too. */
export type Fate = 'killed' | 'timed out' | 'survived' | 'not reached'
export type Verdict = {
  fate: Fate
  /** Test files that were asked, of those that reach it. */
  asked: number
  reached: number
  seconds: number
  /** The failure that killed it. */
  by: string
}

/** Of test files: a mutant that most of them reach is judged by the likeliest ones first; see `all`. */
const ENOUGH_MS = 150_000
const LIMIT_MS = 240_000
const TIME_OUT = /timed out in \d+ ?ms|did not succeed in time/i
/** Mutants of a session: whatever their tests leave behind goes with it. */
const MUTANTS_A_SESSION = 30

export type Judge = { judge(mutant: Mutant, all: boolean): Promise<Verdict>; close(): Promise<void> }

/** Makes mutants, one at a time, in a copy of the project and runs the tests that reach them. */
export function openJudge(coverage: Coverage): Judge {
  const tree = copyTree('mutations-tree')
  let session: Session | null = null
  let judged = 0
  const end = async () => {
    const last = session
    session = null
    judged = 0
    await last?.stop()
  }
  const put = (file: string, text: string) => {
    writeSource(tree, file, text)
    if (file.startsWith('contract/')) buildMails(tree)
  }
  return {
    async close() {
      await end()
      rmSync(tree, { recursive: true, force: true })
    },
    async judge(mutant, all) {
      const reached = inOrder(mutant.file, coverage.testsOf(mutant.place))
      const tests = all ? reached : likeliest(reached)
      const inSetUp = coverage.inSetUp(mutant.place)
      const begun = Date.now()
      if (tests.length === 0 && !inSetUp)
        return { fate: 'not reached', asked: 0, reached: 0, seconds: 0, by: '' }
      if (inSetUp || judged++ >= MUTANTS_A_SESSION) await end()
      const source = readSource(mutant.file)
      put(mutant.file, mutated(source, mutant))
      session ??= await startSession(tree, false)
      const answer = await ask(session, mutant.file, tests)
      put(mutant.file, source)
      if (answer === null || answer.broken !== null || inSetUp) await end()
      if (answer?.broken && !inSetUp) throw new Error(`the tests could not be run: ${answer.broken}`)
      const seconds = Math.round((Date.now() - begun) / 1000)
      return { ...fateOf(answer), asked: tests.length, reached: reached.length, seconds }
    },
  }
}

/** The two likeliest files first: files that run beside a failing one have to end their test. */
async function ask(
  session: Session,
  changed: string,
  tests: readonly TestFile[],
): Promise<SessionAnswer | null> {
  const waves = [tests.slice(0, 2), tests.slice(2)].filter((wave, index) => index === 0 || wave.length > 0)
  let answer: SessionAnswer | null = null
  for (const wave of waves) {
    const request = { tests: wave.map(({ file }) => file), changed, bail: true }
    answer = await session.run(request, LIMIT_MS + 5 * wave.reduce((sum, { ms }) => sum + ms, 0))
    if (fateOf(answer).fate !== 'survived') break
  }
  return answer
}

/** @param answer null when it did not come in time */
function fateOf(answer: SessionAnswer | null): { fate: Fate; by: string } {
  if (answer === null) return { fate: 'timed out', by: 'no end' }
  if (answer.broken !== null) return { fate: 'killed', by: `the global set-up: ${answer.broken}` }
  const failures = answer.files.flatMap(({ file, failures }) => failures.map((text) => `${file} › ${text}`))
  const all = [...failures, ...answer.errors]
  const [by = ''] = all.filter((text) => !TIME_OUT.test(text))
  if (by !== '') return { fate: 'killed', by }
  if (all[0] !== undefined) return { fate: 'timed out', by: all[0] }
  return { fate: 'survived', by: '' }
}

type TestFile = { file: string; ms: number }

/** Quickest first, and those that lie beside the source before the others. */
function inOrder(source: string, tests: readonly TestFile[]): TestFile[] {
  const folder = source.slice(0, source.lastIndexOf('/') + 1)
  const stem = source.replace(/(\.\w+)?\.ts$/, '')
  const cost = ({ file, ms }: TestFile) => {
    if (file.startsWith(`${stem}.`)) return ms / 10
    return file.startsWith(folder) ? ms / 3 : ms
  }
  return tests.toSorted((a, b) => cost(a) - cost(b))
}

function likeliest(tests: readonly TestFile[]): TestFile[] {
  let ms = 0
  return tests.filter((test, index) => {
    ms += test.ms
    return index === 0 || ms <= ENOUGH_MS
  })
}

/** Mails contain texts of the contract, and are built before the tests of the server. */
function buildMails(tree: string): void {
  try {
    execFileSync(process.execPath, [join(tree, 'scripts/build-emails.ts')], { stdio: 'ignore' })
  } catch {
    // The mutant does not compile; the tests show it.
  }
}
