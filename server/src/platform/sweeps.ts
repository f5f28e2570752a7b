import type { Clock } from './clock.ts'
import { type Log, reasonOf } from './log.ts'
import { countSweepFault } from './metrics.ts'

/** Looks for work that was begun and not finished, and finishes it; safe in several processes at once. The log names it where it fails. */
export type Sweep = { name: string; run(now: Date): Promise<unknown> }

type Sweeping = { sweeps: Sweep[]; clock: Clock; log: Log }

/**
 * Runs sweeps over and over until stopped.
 * @param options.pauseMs between two rounds
 */
export function startSweeps(options: Sweeping & { pauseMs: number }): { stop(): Promise<void> } {
  const stopped = Promise.withResolvers<void>()
  let stopping = false
  const run = async () => {
    while (!stopping) {
      await runSweeps(options, () => stopping)
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

/**
 * Runs each sweep once, one after the other. One that fails keeps none of the others: it is counted, and the log has its name and cause.
 * @param isStopping true while the process ends: a fault then ends the round, and is not counted
 */
export async function runSweeps(
  { clock, log, sweeps }: Sweeping,
  isStopping: () => boolean = () => false,
): Promise<void> {
  for (const { name, run } of sweeps) {
    try {
      await run(clock.now())
    } catch (error) {
      if (isStopping()) return
      countSweepFault(name)
      log.warn({ sweep: name, reason: reasonOf(error) }, 'a sweep failed')
    }
  }
}

/**
 * Does the same with one after the other. One that fails keeps none of the others.
 * @throws the first fault, once all were tried, so that it is logged and counted by whoever runs this
 */
export async function tryEach<T>(
  all: Iterable<T> | AsyncIterable<T>,
  act: (one: T) => Promise<unknown>,
): Promise<void> {
  const faults: unknown[] = []
  for await (const one of all) {
    try {
      await act(one)
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length > 0) throw faults[0]
}

async function pause(milliseconds: number, stopped: Promise<void>): Promise<void> {
  const over = Promise.withResolvers<void>()
  const timer = setTimeout(over.resolve, milliseconds)
  await Promise.race([over.promise, stopped])
  clearTimeout(timer)
}
