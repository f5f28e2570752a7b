import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { ParsedReport } from './parse-report.ts'

/** Of one message, with the start of the thread. For what never ends, not for a machine that is slow. */
const PARSE_MS = 20_000
/** Without it a message could take the memory of all that this process does. */
const LIMITS = {
  maxOldGenerationSizeMb: 96,
  maxYoungGenerationSizeMb: 16,
  codeRangeSizeMb: 16,
  stackSizeMb: 4,
}
const PARSER = new URL('./parse-report.worker.ts', import.meta.url)

/** Reads messages on a thread of their own, one after the other: anybody may have written them, and this one serves and mails. */
export type ReportParser = AsyncDisposable & {
  /** @returns null for one that could not be read within the bounds of time and memory */
  parse(raw: Uint8Array): Promise<ParsedReport | null>
}

/** The thread starts with the first message, and anew after one that it could not end. @param script what runs on it */
export function openReportParser(script = PARSER): ReportParser {
  let worker: Worker | null = null
  const end = async () => {
    const ended = worker
    worker = null
    await ended?.terminate()
  }
  return {
    async parse(raw) {
      worker ??= startWorker(script, () => {
        worker = null
      })
      const ending = new AbortController()
      const tooLong = setTimeout(() => ending.abort(), PARSE_MS)
      try {
        const answer = once(worker, 'message', { signal: ending.signal })
        // A copy: what came may be a view on far more.
        const bytes = Uint8Array.from(raw)
        worker.postMessage(bytes, [bytes.buffer])
        const [parsed] = (await answer) as [ParsedReport]
        return parsed
      } catch {
        await end()
        return null
      } finally {
        clearTimeout(tooLong)
      }
    },
    [Symbol.asyncDispose]: end,
  }
}

function startWorker(script: URL, whenEnded: () => void): Worker {
  // Nothing of ours is known there, and what it says goes nowhere: it could quote mails.
  const worker = new Worker(script, {
    resourceLimits: LIMITS,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  // A fault is told to whoever waits; one that comes later than that must not end the process.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    whenEnded()
    worker.emit('error', new Error('the thread ended'))
  })
  worker.unref()
  return worker
}
