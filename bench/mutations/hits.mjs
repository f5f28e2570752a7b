/**
 * The module `mutation-hits` of the tree in which tests are recorded: appends every place that a process reaches for the first
 * time to a file of the test that reached it. Plain JavaScript, since it lies in a node_modules folder.
 *
 * A test's own process knows its test from vitest. A process that it starts knows it from its environment, or, since tests
 * hand on little of theirs, from a file that a process above it has left under its id.
 */
import { execFileSync } from 'node:child_process'
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HITS = join(dirname(fileURLToPath(import.meta.url)), '../../hits')
const seen = new Set()
let known

export function hit(place) {
  const test = currentTest()
  const key = `${test}\n${place}`
  if (seen.has(key)) return
  seen.add(key)
  appendFileSync(join(HITS, encodeURIComponent(test)), `${place}\n`)
}

function currentTest() {
  const inWorker = globalThis.__vitest_worker__?.filepath
  if (inWorker) {
    if (inWorker !== known) leave(inWorker)
    return inWorker
  }
  if (known === undefined) leave(inherited())
  return known
}

function leave(test) {
  known = test
  process.env.MUTATION_TEST = test
  const pids = join(HITS, 'pids')
  mkdirSync(pids, { recursive: true })
  writeFileSync(join(pids, String(process.pid)), test)
}

function inherited() {
  if (process.env.MUTATION_SESSION === String(process.pid)) return 'set-up'
  if (process.env.MUTATION_TEST) return process.env.MUTATION_TEST
  for (let pid = process.ppid; pid > 1; pid = parentOf(pid)) {
    const left = join(HITS, 'pids', String(pid))
    if (existsSync(left)) return readFileSync(left, 'utf8')
  }
  return 'unknown'
}

function parentOf(pid) {
  return Number(execFileSync('ps', ['-o', 'ppid=', '-p', String(pid)], { encoding: 'utf8' }))
}
