import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { askQuoteOnce } from '../quotes/finnhub.ts'
import { type AskDeps, askAbout, takeDue } from './ask-next.ts'

/** Calls of this process that a slow provider may leave unanswered at a time. */
const MAX_WAITING = 4
/** How often a process looks for something to ask while there is nothing. */
const IDLE_MS = 1000

type RefresherDeps = {
  db: Queryable
  provider: { base: string; key: string }
  perMinute: number
  clock: Clock
  log: Log
}

/**
 * Asks the provider about symbols that somebody looks at and about closes that are due, in turn with the refreshers of other
 * processes, until stopped.
 */
export function startRefresher(deps: RefresherDeps): { stop(): Promise<void> } {
  const { clock, db, log, perMinute } = deps
  const ending = new AbortController()
  const { signal } = ending
  const provider = { ...deps.provider, clock }
  const asking: AskDeps = {
    db,
    ask: (symbol) => askQuoteOnce(provider, symbol, signal),
    perMinute,
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
