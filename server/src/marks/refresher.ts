import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { PriceProvider } from '../quotes/provider.ts'
import type { Calls } from '../quotes/take-call.ts'
import { type AskDeps, askAbout, takeDue } from './ask-next.ts'

/** Calls of this process that a slow provider may leave unanswered at a time. */
const MAX_WAITING = 4
const DEADLINE_MS = 5000
/** How often a process looks for something to ask while there is nothing. */
const IDLE_MS = 1000

type RefresherDeps = {
  db: Queryable
  provider: PriceProvider
  calls: Calls
  perMinute: number
  settings: Pick<Settings, 'marketOverride'>
  clock: Clock
  log: Log
}

/**
 * Asks the provider about symbols that are held and about closes that are due, round after round, in turn with the refreshers of
 * other processes, until stopped.
 */
export function startRefresher(deps: RefresherDeps): { stop(): Promise<void> } {
  const { calls, clock, db, log, perMinute, provider, settings } = deps
  const ending = new AbortController()
  const { signal } = ending
  const asking: AskDeps = {
    db,
    calls,
    ask: (symbol) => provider.quote(symbol, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])),
    perMinute,
    marketOverride: settings.marketOverride,
    ending: signal,
    log,
  }
  const waiting = new Set<Promise<void>>()
  const note = (error: unknown) => {
    if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'marks could not be refreshed')
    return null
  }
  const run = async () => {
    while (!signal.aborted) {
      const due = await takeDue(asking, clock.now()).catch(note)
      if (due) {
        const asked: Promise<void> = askAbout(asking, due, clock)
          .catch(note)
          .then(() => void waiting.delete(asked))
        waiting.add(asked)
      }
      const until = due ? Math.min(60_000 / perMinute, IDLE_MS) : IDLE_MS
      await pause(until, undefined, { signal }).catch(() => undefined)
      if (waiting.size >= MAX_WAITING) await Promise.race(waiting)
    }
    await Promise.all(waiting)
  }
  const running = run()
  return {
    async stop() {
      ending.abort()
      await running
    },
  }
}
