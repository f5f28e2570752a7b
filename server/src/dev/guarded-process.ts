import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from '../platform/log.ts'

/** A program that cannot outlive this process. */
export type GuardedProcess = {
  /** Resolves when it has ended. */
  ended: Promise<{ code: number | null; output: string }>
  /** Asks it to end (SIGINT; SIGQUIT four seconds later) and resolves when it has. */
  end(): Promise<void>
}

/** How many of its last lines are kept. */
const LINES_KEPT = 5
const LAST_WORDS_MS = 100

/**
 * A shell that runs the program and ends with it, with its exit code. File descriptor 3 is a pipe from our process: it
 * closes when we close it and when we die, whatever we die of, and then the shell ends the program. A program started in the
 * background ignores SIGINT and SIGQUIT until it has set its own handlers, hence not one signal alone.
 */
const GUARD = `
"$@" 3<&- &
program=$!
{
  read -r line <&3
  kill -INT "$program"
  for second in 1 2 3 4; do sleep 1; done
  kill -QUIT "$program"
} >/dev/null 2>&1 &
watcher=$!
wait "$program"
code=$?
kill "$watcher" 2>/dev/null
exit "$code"
`

/**
 * Starts a program that ends on SIGINT, in its own process group: Ctrl-C in a terminal reaches only us, and we end
 * it last.
 * @param options.as who runs it, if not who runs us
 * @param options.log gets each line of its stderr, at the level debug
 */
export function startGuarded(
  program: { command: string; args: string[] },
  options: { as: { uid: number; gid: number } | null; log: Log },
): GuardedProcess {
  const child = spawn('sh', ['-c', GUARD, 'sh', program.command, ...program.args], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    ...options.as,
  })
  let lastLines: string[] = []
  const [, , words, pipe] = child.stdio
  words?.setEncoding('utf8').on('data', (text: string) => {
    const lines = text.split('\n').filter((line) => line.trim() !== '')
    lastLines = [...lastLines, ...lines].slice(-LINES_KEPT)
    for (const line of lines) options.log.debug(line)
  })
  pipe?.on('error', () => undefined)
  const ended = whenEnded(child).then((code) => {
    pipe?.destroy()
    return { code, output: lastLines.join(' ') }
  })
  return {
    ended,
    async end() {
      pipe?.destroy()
      await ended
    },
  }
}

/** @returns the exit code, once its last words have been read too; `null` when it could not be started */
async function whenEnded(child: ChildProcess): Promise<number | null> {
  const silent = new Promise((resolve) => child.stderr?.once('close', resolve))
  const code = await new Promise<number | null>((resolve) => {
    child.once('exit', resolve)
    child.once('error', () => resolve(null))
  })
  // Processes that the program started may live on for a moment, and hold the pipe open.
  await Promise.race([silent, pause(LAST_WORDS_MS)])
  return code
}
