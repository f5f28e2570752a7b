import { setTimeout as pause } from 'node:timers/promises'
import { mayTrade } from '@tradepost/contract/market-hours'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import type { PriceProvider } from '../quotes/provider/provider.ts'
import type { Calls } from '../quotes/provider/take-call.ts'
import { makeWakeUp } from '../work/wake-up.ts'
import type { WorkSession } from '../work/work-session.ts'
import { type AskDeps, askAbout, takeDue } from './ask-next.ts'
import { isAskingDue } from './asking.queries.ts'

/** Calls of this process that a slow provider may leave unanswered at a time. */
const MAX_WAITING = 4
const DEADLINE_MS = 5000
/** However few calls a minute there may be: another process may have died in its turn. */
const LONGEST_PAUSE_MS = 1000

type RefresherDeps = {
  session: Pick<WorkSession, 'add'>
  db: Queryable
  provider: PriceProvider
  calls: Calls
  perMinute: number
  settings: Pick<Settings, 'marketOverride' | 'priceRights'>
  clock: Clock
  log: Log
}

/**
 * Asks the provider about symbols that are held and about closes that are due, round after round, in turn with the refreshers of
 * other processes, until stopped. While there is nothing to ask it waits for the look of the worker's session.
 */
export function startRefresher(deps: RefresherDeps): { stop(): Promise<void> } {
  const { calls, clock, db, log, perMinute, provider, session, settings } = deps
  const ending = new AbortController()
  const { signal } = ending
  const asking: AskDeps = {
    db,
    calls,
    ask: (symbol) => provider.quote(symbol, AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)])),
    perMinute,
    marketOverride: settings.marketOverride,
    priceRights: settings.priceRights,
    ending: signal,
    log,
  }
  const waiting = new Set<Promise<void>>()
  const wakeUp = makeWakeUp()
  const leave = session.add({
    onNews: wakeUp.notify,
    isWaiting: (at) => isAskingDue(at, mayTrade(clock.now(), settings.marketOverride)),
  })
  const note = (error: unknown) => {
    if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'marks could not be refreshed')
    return null
  }
  const run = async () => {
    while (!signal.aborted) {
      const seen = wakeUp.version()
      const due = await takeDue(asking, clock.now()).catch(note)
      if (due) {
        const asked: Promise<void> = askAbout(asking, due, clock)
          .catch(note)
          .then(() => void waiting.delete(asked))
        waiting.add(asked)
      }
      if (due) {
        const untilNext = Math.min(60_000 / perMinute, LONGEST_PAUSE_MS)
        await pause(untilNext, undefined, { signal }).catch(() => undefined)
      } else if (!signal.aborted) await wakeUp.waitBeyond(seen, null)
      if (waiting.size >= MAX_WAITING) await Promise.race(waiting)
    }
    await Promise.all(waiting)
  }
  const running = run()
  return {
    async stop() {
      ending.abort()
      wakeUp.notify()
      await running
      leave()
    },
  }
}
