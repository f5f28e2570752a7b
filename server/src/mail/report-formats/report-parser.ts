import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { ParsedReport } from './parse-report.ts'

/**
 * Processor time of one message, with the start of the thread: for a parse that never ends. A machine that is busy gives the thread less of it,
 * and the hardest messages take a few hundredths of a second.
 */
const PARSE_CPU_MS = 10_000
/** How often it is looked at. */
const LOOK_MS = 500
/** The limits of the thread's memory: without them a message could exhaust that of this process. */
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

/**
 * The thread starts with the first message, and again after one that it could not end.
 * @param script the script that runs on it
 * @param limitMs processor time for one message
 */
export function openReportParser(script = PARSER, limitMs = PARSE_CPU_MS): ReportParser {
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
      const over = new AbortController()
      try {
        const answer = once(worker, 'message', { signal: over.signal })
        void endAfter(worker, limitMs, over)
        // A copy: the message may be a view of a larger buffer.
        const bytes = Uint8Array.from(raw)
        worker.postMessage(bytes, [bytes.buffer])
        const [parsed] = (await answer) as [ParsedReport]
        return parsed
      } catch {
        await end()
        return null
      } finally {
        over.abort()
      }
    },
    [Symbol.asyncDispose]: end,
  }
}

/** Aborts once the thread has used up so much processor time from now on, unless that was done before. */
async function endAfter(worker: Worker, limitMs: number, over: AbortController): Promise<void> {
  const before = await usedMs(worker)
  do if (await isAborted(over.signal, LOOK_MS)) return
  while ((await usedMs(worker)) - before < limitMs)
  over.abort()
}

/** Processor time of a thread so far; 0 of one that is still being started. */
async function usedMs(worker: Worker): Promise<number> {
  const used = await worker.cpuUsage().catch(() => null)
  return used ? (used.system + used.user) / 1000 : 0
}

/** Whether a signal is given within so many milliseconds. */
function isAborted(signal: AbortSignal, milliseconds: number): Promise<boolean> {
  return pause(milliseconds, false, { signal, ref: false }).catch(() => true)
}

function startWorker(script: URL, whenEnded: () => void): Worker {
  // The thread gets none of our secrets, and its output is discarded: it could quote mails.
  const worker = new Worker(script, {
    resourceLimits: LIMITS,
    env: {},
    execArgv: [],
    stdout: true,
    stderr: true,
  })
  // A fault rejects the parse that waits; a later one must not end the process.
  worker.on('error', () => undefined)
  worker.once('exit', () => {
    whenEnded()
    worker.emit('error', new Error('the thread ended'))
  })
  worker.unref()
  return worker
}
