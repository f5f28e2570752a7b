import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Runs the built programs as processes, for tests. */

const programOf = (name: string) => join(import.meta.dirname, '../built', `${name}.mjs`)

export type Ended = { code: number | null; words: string }

/** Runs a program to its end; `words` is everything that it prints. */
export async function run(name: string, args: string[]): Promise<Ended> {
  const started = spawn(process.execPath, [programOf(name), ...args])
  let words = ''
  for (const stream of [started.stdout, started.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => {
      words += part
    })
  const [code] = await once(started, 'close')
  return { code, words }
}

/** Starts a program that serves. @returns its address, once it is printed */
export async function start(
  name: string,
  args: string[],
): Promise<{ address: string; process: ChildProcess }> {
  const started = spawn(process.execPath, [programOf(name), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let words = ''
  for await (const part of started.stdout.setEncoding('utf8')) {
    words += part
    const [address] = /http:\/\/\S+/.exec(words) ?? []
    if (address) return { address, process: started }
  }
  throw new Error(`${name} ended: ${words}`)
}

export async function stop(started: ChildProcess, signal: 'SIGTERM' | 'SIGKILL' = 'SIGTERM'): Promise<void> {
  if (started.exitCode !== null) return
  started.kill(signal)
  await once(started, 'exit')
}

/** A folder that is gone after the test. */
export function newFolder(): { path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'record-'))
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) }
}
