import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startSession } from './session.ts'
import { recorded } from './sites.ts'
import { CACHE, copyTree, fingerprint, mutatedFiles, readSource, writeSource } from './tree.ts'

const FILE = join(CACHE, 'mutations-coverage.json')
/** The workspaces whose tests run the code of a workspace; journeys are too slow, and the sandbox and the scripts run neither. */
const TESTS_OF = { server: /^server\//, contract: /^(contract|server|web|emails)\// }
/** Test files that are recorded before what is known is written down. */
const AT_ONCE = 12
/** They do not take this long; if they do, one hangs. */
const LIMIT_MS = 900_000

/** The places that one test file reached when it was recorded. */
type Recorded = { fingerprint: string; ms: number; failed: boolean; places: string[] }
type Recording = { sources: string; tests: Record<string, Recorded>; setUp: string[] }

/** Which test files reach which place, and how long each takes. */
export type Coverage = {
  /** Quickest first; without those that fail on the code as it is. @param place `<file>#<site>` */
  testsOf(place: string): { file: string; ms: number }[]
  /** Whether the global set-up of the tests reaches it: then the set-up has to be done again for its mutants. */
  inSetUp(place: string): boolean
}

/**
 * Runs every test file once in a copy of the project that records what it reaches. Kept in `.cache`: done again for test files that
 * have changed or failed, and for all when a source has.
 * @param files the sources that are going to be mutated
 */
export async function recordCoverage(files: readonly string[]): Promise<Coverage> {
  const sources = fingerprint(mutatedFiles())
  const kept = read()
  const recording = kept.sources === sources ? kept : { sources, tests: {}, setUp: [] }
  const tree = recordingTree()
  const hits = join(tree, 'hits')
  const session = await startSession(tree, true)
  try {
    const needed = files.some((file) => file.startsWith('contract/')) ? TESTS_OF.contract : TESTS_OF.server
    const tests = session.tests.filter((test) => needed.test(test))
    const known = new Set(session.tests)
    for (const test of Object.keys(recording.tests)) if (!known.has(test)) delete recording.tests[test]
    const missing = tests.filter((test) => !isCurrent(recording.tests[test], test))
    for (let from = 0; from < missing.length; from += AT_ONCE) {
      const asked = missing.slice(from, from + AT_ONCE)
      const answer = await session.run({ tests: asked, changed: null, bail: false }, LIMIT_MS)
      if (!answer) throw new Error(`not at an end after ${LIMIT_MS / 1000} s: ${asked.join(', ')}`)
      for (const { file, ms, failures } of answer.files)
        recording.tests[file] = {
          fingerprint: fingerprint([file]),
          ms,
          failed: failures.length > 0,
          places: placesIn(join(hits, encodeURIComponent(join(tree, file)))),
        }
      const set = new Set([...recording.setUp, ...placesIn(join(hits, 'set-up'))])
      recording.setUp = [...set]
      writeFileSync(FILE, JSON.stringify(recording))
      console.log(`recorded ${from + asked.length} of ${missing.length} test files`)
    }
  } finally {
    await session.stop()
    rmSync(tree, { recursive: true, force: true })
  }
  return coverageOf(recording)
}

/** One that failed may have had too little time. */
function isCurrent(known: Recorded | undefined, test: string): boolean {
  return known !== undefined && !known.failed && known.fingerprint === fingerprint([test])
}

/** A copy of the project that leaves a file of places for each test file in `hits`. */
function recordingTree(): string {
  const tree = copyTree('mutations-recorded')
  for (const file of mutatedFiles()) writeSource(tree, file, recorded(file, readSource(file)))
  const module = join(tree, 'node_modules/mutation-hits')
  mkdirSync(module)
  mkdirSync(join(tree, 'hits'))
  cpSync(join(import.meta.dirname, 'hits.mjs'), join(module, 'index.mjs'))
  writeFileSync(join(module, 'package.json'), '{"type":"module","exports":"./index.mjs"}')
  return tree
}

function placesIn(file: string): string[] {
  if (!existsSync(file)) return []
  return [...new Set(readFileSync(file, 'utf8').split('\n'))].filter((line) => line !== '')
}

export function coverageOf({ tests, setUp }: Recording): Coverage {
  const reached = new Map<string, { file: string; ms: number }[]>()
  const quickestFirst = Object.entries(tests).sort(([, a], [, b]) => a.ms - b.ms)
  for (const [file, { ms, failed, places }] of quickestFirst) {
    if (failed) console.log(`left out, since it fails on the code as it is: ${file}`)
    else for (const place of places) reached.set(place, [...(reached.get(place) ?? []), { file, ms }])
  }
  const inSetUp = new Set(setUp)
  return { testsOf: (place) => reached.get(place) ?? [], inSetUp: (place) => inSetUp.has(place) }
}

export function read(): Recording {
  if (!existsSync(FILE)) return { sources: '', tests: {}, setUp: [] }
  return JSON.parse(readFileSync(FILE, 'utf8')) as Recording
}
