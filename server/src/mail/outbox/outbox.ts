import { setTimeout as pause } from 'node:timers/promises'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import { makeMailer } from '../../platform/mailer.ts'
import type { Settings } from '../../platform/settings.ts'
import { makeWakeUp, type WakeUp } from '../../platform/wake-up.ts'
import { LANES, type Lane } from './categories.ts'
import type { LeasedMail } from './leases.queries.ts'
import { type OutboxStore, openOutboxStore } from './outbox-store.ts'
import type { PrepareDeps } from './prepare-mails.ts'
import { type SendDeps, sendMails } from './send-mails.ts'

export type OutboxDeps = {
  db: Queryable
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  settings: Settings
  prepare: PrepareDeps['prepare']
  returnPaths: SendDeps['returnPaths']
}

/** Mails that a lane has in hand at most: enough for its connections while other mails are prepared or recorded. */
const IN_HAND = 48
/** Leased together at least, unless fewer wait: each batch costs the same statements. */
const BATCH = 16
/** How long a mail waits whose notification was lost, or whose next try is due. */
const SWEEP_MS = 1000
/** After a fault of the database. */
const FAULT_PAUSE_MS = 500
/** For mails on their way when a worker is stopped. */
const DRAIN_MS = 3000

/**
 * Sends what is queued until stopped. Returns once it listens for new mails, whenever the database is there.
 * @returns `stop` lets mails on their way get their answer, and ends within five seconds
 */
export async function startOutbox(deps: OutboxDeps): Promise<{ stop(): Promise<void> }> {
  const { settings } = deps
  const stopping = new AbortController()
  const wakeUps = { 'sign-in': makeWakeUp(), other: makeWakeUp() }
  const notifyAll = () => {
    for (const wakeUp of Object.values(wakeUps)) wakeUp.notify()
  }
  const onNews = (lane: string | null) => (isLane(lane) ? wakeUps[lane].notify() : notifyAll())
  const store = await openOutboxStore({ ...deps, onNews }, { up: stopping.signal })
  const lanes = LANES.map((lane) => {
    const mailer = makeMailer(settings.mail)
    const { origin, operatorEmail } = settings
    const sending: SendDeps = { ...deps, origin, operatorEmail, mailer, store }
    const ended = runLane({ lane, sending, store, wakeUp: wakeUps[lane], stopping: stopping.signal })
    return { ended, close: () => mailer.close() }
  })
  return {
    async stop() {
      stopping.abort()
      notifyAll()
      const drained = new AbortController()
      const limit = pause(DRAIN_MS, undefined, { signal: drained.signal }).catch(() => undefined)
      await Promise.race([Promise.all(lanes.map(({ ended }) => ended)), limit])
      drained.abort()
      await store.end()
      for (const { close } of lanes) close()
    },
  }
}

function isLane(name: string | null): name is Lane {
  return LANES.some((lane) => lane === name)
}

type LaneRun = { lane: Lane; sending: SendDeps; store: OutboxStore; wakeUp: WakeUp; stopping: AbortSignal }

/** Takes mails of a lane and sends them, over and over. Resolves when it was stopped and nothing is in hand. */
async function runLane({ lane, sending, store, wakeUp, stopping }: LaneRun): Promise<void> {
  const batches = new Set<Promise<void>>()
  let inHand = 0
  const take = (mails: LeasedMail[]) => {
    inHand += mails.length
    const batch = sendMails(sending, mails, () => {
      inHand -= 1
      if (inHand === IN_HAND - BATCH) wakeUp.notify()
    }).finally(() => batches.delete(batch))
    batches.add(batch)
  }
  while (!stopping.aborted) {
    const seen = wakeUp.version()
    try {
      const mails = inHand <= IN_HAND - BATCH ? await store.lease(lane, BATCH) : []
      if (mails.length > 0) take(mails)
      if (mails.length < BATCH) await wakeUp.waitBeyond(seen, SWEEP_MS)
    } catch (error) {
      sending.log.warn({ lane, reason: reasonOf(error) }, 'mails could not be taken')
      await pause(FAULT_PAUSE_MS)
    }
  }
  await Promise.all(batches)
}
