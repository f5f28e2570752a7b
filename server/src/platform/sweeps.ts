import type { Clock } from './clock.ts'
import { type Log, reasonOf } from './log.ts'

/** Looks for what was begun and not finished, and sees to it; safe in several processes at once. */
export type Sweep = (now: Date) => Promise<void>

/**
 * Runs sweeps one after the other, over and over, until stopped. One that fails keeps none of the others, and has its
 * next turn.
 * @param options.pauseMs between two rounds
 */
export function startSweeps(options: { sweeps: Sweep[]; pauseMs: number; clock: Clock; log: Log }): {
  stop(): Promise<void>
} {
  const stopped = Promise.withResolvers<void>()
  let stopping = false
  const run = async () => {
    while (!stopping) {
      for (const sweep of options.sweeps) {
        await sweep(options.clock.now()).catch((error: unknown) => {
          if (!stopping) options.log.warn({ reason: reasonOf(error) }, 'a sweep failed')
        })
      }
      await pause(options.pauseMs, stopped.promise)
    }
  }
  const running = run()
  return {
    async stop() {
      stopping = true
      stopped.resolve()
      await running
    },
  }
}

async function pause(milliseconds: number, stopped: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, milliseconds)
  await Promise.race([over.promise, stopped])
  clearTimeout(timer)
}
