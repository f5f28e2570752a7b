import { setTimeout as pause } from 'node:timers/promises'
import type { Log } from './log.ts'

const SAY_EVERY_MS = 10_000

/**
 * Waits for a part of the start for as long as that takes: how fast a machine is decides nothing. Says every ten seconds that it still
 * waits, and for whom.
 * @param whom with whom people can tell the part, and what may keep it: `PostgreSQL: this machine may be busy`
 * @throws what `part` rejects with
 */
export async function waitFor<T>(log: Log, whom: string, part: Promise<T>): Promise<T> {
  const over = new AbortController()
  const began = performance.now()
  const say = async () => {
    for (;;) {
      await pause(SAY_EVERY_MS, undefined, { signal: over.signal })
      const seconds = Math.round((performance.now() - began) / 1000)
      log.warn({ seconds }, `still waiting for ${whom}`)
    }
  }
  say().catch(() => undefined)
  return part.finally(() => over.abort())
}
