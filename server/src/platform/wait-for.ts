import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './log.ts'

const LOG_EVERY_MS = 10_000

/**
 * Waits for a part of the start for as long as that takes, since a machine may be slow. Logs every ten seconds that it still
 * waits, and for which part.
 * @param whom a name by which people recognize the part, and the possible cause of its delay: `PostgreSQL: this machine may be busy`
 * @throws the error that `part` rejects with
 */
export async function waitFor<T>(log: Log, whom: string, part: Promise<T>): Promise<T> {
  const over = new AbortController()
  const began = performance.now()
  const report = async () => {
    for (;;) {
      await pause(LOG_EVERY_MS, undefined, { signal: over.signal })
      const seconds = Math.round((performance.now() - began) / 1000)
      log.warn({ seconds }, `still waiting for ${whom}`)
    }
  }
  report().catch(() => undefined)
  return part.finally(() => over.abort())
}
