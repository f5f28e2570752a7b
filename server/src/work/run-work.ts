import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type pg from 'pg'
import { coalesce } from '../platform/cache/coalesce.ts'
import type { Clock } from '../platform/clock.ts'
import { isDatabaseUnavailable } from '../platform/database/database-errors.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { adoptLeases, type LeaseTerms, releaseLeases, renewLeases, type WorkTable } from './leases.queries.ts'
import { makeWakeUp, type WakeUp } from './wake-up.ts'
import { type Channel, LEASE_LIMIT_MS, type Numbers, type WorkSession } from './work-session.ts'

const FAULT_PAUSE_MS = 500
/** The limit for the items in hand when a worker is stopped, so that it ends within five seconds. */
const DRAIN_MS = 3000

/**
 * A kind of durable work: rows of a table, each of which a worker leases, does, and records. A row is given at least once, so handlers are
 * written to be repeated; a worker that dies frees its leases at once.
 */
export type Work<Item, Ending> = {
  /** Names it in the log. */
  name: string
  table: WorkTable
  /** Values of the key of an item's row, in the order of `table.key`. */
  keyOf(item: Item): unknown[]
  channel: Channel
  /** Whether a notification of the channel is for this work; every one unless given. */
  isFor?(payload: string): boolean
  /** The most items that a worker has in hand. */
  atOnce: number
  /** Leased together, unless fewer are due: work waits for so much room. 1 unless given. */
  batch?: number
  /** In SQL, a condition of the table's rows that may be due; of many, the first shows it. @param at in SQL, when */
  waiting(at: string): string
  /** Does, on news, what needs no lease; what it leaves is leased. Never rejects. */
  handleUnleased?(): Promise<void>
  /** Leases due items, and never items that the worker itself has in hand. */
  lease(client: pg.Client, terms: LeaseTerms, limit: number): Promise<Item[]>
  /** Records the results of items in one statement, and gives their leases back; without effect on rows that others have leased meanwhile. */
  record(client: pg.Client, endings: Ending[], by: { numbers: Numbers; now: Date }): Promise<void>
  /**
   * Handles items that were leased together, and calls `end` for each item.
   * @param end resolves when it is recorded; null where nothing is to be recorded any more
   * @throws when items could not be begun: those not ended are given back
   */
  handle(items: Item[], end: (item: Item, ending: Ending | null) => Promise<void>): Promise<void>
}

export type RunningWork = {
  /** Looks for work now: the clock has been moved. */
  wake(): void
  /** Leases nothing more, and waits three seconds for the items in hand. */
  stop(): Promise<void>
}

type Deps = { session: WorkSession; clock: Clock; log: Log }

type Run<Item, Ending> = Deps & {
  work: Work<Item, Ending>
  wakeUp: WakeUp
  stopping: AbortSignal
  /** The keys of the items in hand, by their text. */
  held: Map<string, unknown[]>
  record(ending: Ending): Promise<void>
}

/** Does the work of a kind until stopped. Several processes may: each item is leased to one. */
export function runWork<Item, Ending>(deps: Deps, work: Work<Item, Ending>): RunningWork {
  const wakeUp = makeWakeUp()
  const stopping = new AbortController()
  const held = new Map<string, unknown[]>()
  const run = { ...deps, work, wakeUp, stopping: stopping.signal, held, record: recordTogether(deps, work) }
  const keys = () => [...held.values()]
  const leave = deps.session.add({
    channel: work.channel,
    isWaiting: (at) => `exists (select from ${work.table.name} where ${work.waiting(at)})`,
    onNews(payload) {
      if (payload === null || (work.isFor?.(payload) ?? true)) wakeUp.notify()
    },
    async adopt(client, number, before) {
      if (held.size > 0) await adoptLeases(client, work.table, { number, before, keys: keys() })
    },
    renew() {
      if (held.size === 0) return null
      return (client, number) =>
        renewLeases(client, work.table, { number, now: deps.clock.now(), keys: keys() })
    },
  })
  const running = takeAll(run)
  return {
    wake: () => wakeUp.notify(),
    async stop() {
      stopping.abort()
      wakeUp.notify()
      const over = new AbortController()
      const late = pause(DRAIN_MS, undefined, { signal: over.signal }).catch(() => undefined)
      await Promise.race([running, late])
      over.abort()
      leave()
    },
  }
}

/** Resolves when it was stopped and nothing is in hand. */
async function takeAll<Item, Ending>(run: Run<Item, Ending>): Promise<void> {
  const { held, log, session, stopping, wakeUp, work } = run
  const { atOnce, batch = 1 } = work
  const batches = new Set<Promise<void>>()
  while (!stopping.aborted) {
    const seen = wakeUp.version()
    const room = atOnce - held.size
    const limit = batch > 1 ? batch : room
    await work.handleUnleased?.()
    try {
      const items = room >= batch && session.isOpen() ? await take(run, limit) : []
      if (items.length > 0) {
        const done = handle(run, items).finally(() => batches.delete(done))
        batches.add(done)
      }
      if (items.length < limit || room < batch) await wakeUp.waitBeyond(seen, null)
    } catch (error) {
      if (session.isOpen()) log.warn({ work: work.name, reason: reasonOf(error) }, 'work could not be leased')
      await pause(FAULT_PAUSE_MS)
    }
  }
  await Promise.all(batches)
}

function take<Item, Ending>(
  { clock, held, session, work }: Run<Item, Ending>,
  limit: number,
): Promise<Item[]> {
  const now = clock.now()
  const staleBefore = new Date(now.getTime() - LEASE_LIMIT_MS)
  return session.run(async (client, { number }) => {
    const items = await work.lease(client, { number, now, staleBefore }, limit)
    for (const item of items) held.set(textOf(work.keyOf(item)), work.keyOf(item))
    return items
  })
}

function textOf(key: unknown[]): string {
  return key.join(' ')
}

/** Never rejects. Items that were not begun are given back, and come again. */
async function handle<Item, Ending>(run: Run<Item, Ending>, items: Item[]): Promise<void> {
  const { held, log, session, wakeUp, work } = run
  const { atOnce, batch = 1 } = work
  const open = new Map(items.map((item) => [textOf(work.keyOf(item)), work.keyOf(item)]))
  const release = (key: string) => {
    open.delete(key)
    held.delete(key)
    // Work of batches has had no room for one until now; any other looks for what may take the place.
    if (batch === 1 || held.size === atOnce - batch) wakeUp.notify()
  }
  try {
    await work.handle(items, async (item, ending) => {
      if (ending !== null) await run.record(ending)
      release(textOf(work.keyOf(item)))
    })
  } catch (error) {
    if (session.isOpen()) log.warn({ work: work.name, reason: reasonOf(error) }, 'work could not be begun')
    await pause(FAULT_PAUSE_MS)
  }
  if (open.size === 0) return
  const keys = [...open.values()]
  await session.runUntilDone((client, { all }) => releaseLeases(client, work.table, { numbers: all, keys }))
  for (const key of [...open.keys()]) release(key)
}

/**
 * Records results that end at the same time together, once the database is reachable. Where it refuses the group, each is recorded by itself,
 * so that a faulty one holds up none of the others.
 * @returns resolves when it is recorded
 */
function recordTogether<Item, Ending>(
  { clock, log, session }: Deps,
  work: Work<Item, Ending>,
): (ending: Ending) => Promise<void> {
  type Waiting = { ending: Ending; resolve: () => void }
  let waiting: Waiting[] = []
  const write = async (group: Waiting[], onRefusal: (error: unknown) => boolean) => {
    const endings = group.map(({ ending }) => ending)
    const record = (client: pg.Client, numbers: Numbers) =>
      work.record(client, endings, { numbers, now: clock.now() })
    if (!(await session.runUntilDone(record, onRefusal))) return false
    for (const { resolve } of group) resolve()
    return true
  }
  const alone = (one: Waiting) => {
    let logged = false
    return write([one], (error) => {
      if (!logged)
        log.error({ work: work.name, reason: reasonOf(error) }, 'a result of work is not recorded yet')
      logged = true
      return false
    })
  }
  const flush = coalesce(async () => {
    // Answers that arrived together.
    await turn()
    const group = waiting
    waiting = []
    if (group.length === 0) return
    if (!(await write(group, (error) => !isDatabaseUnavailable(error))))
      for (const one of group) void alone(one)
  })
  return (ending) =>
    new Promise((resolve) => {
      waiting.push({ ending, resolve })
      void flush()
    })
}
