import { setTimeout as pause } from 'node:timers/promises'
import { makeSecretKey } from '../auth/secret-key.ts'
import { sessionBounds } from '../auth/session-life.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { makeWakeUp, type WakeUp } from '../platform/wake-up.ts'
import { contactOf } from './contact.ts'
import type { LeasedDelivery } from './leases.queries.ts'
import { makePushWire } from './post-message.ts'
import { makePushKeys } from './push-keys.ts'
import { openPushStore, type PushStore } from './push-store.ts'
import { makeSealer } from './seal-message.ts'
import { type SendDeps, sendPush } from './send-push.ts'
import { findPushes, type Push } from './sending.queries.ts'

/** Messages that a worker has in hand at once: as many are sent again at most when it is killed. */
const AT_ONCE = 32
/** How long a message waits whose notification was lost, or whose next try is due. */
const SWEEP_MS = 2000
const FAULT_PAUSE_MS = 500
/** For messages on their way when a worker is stopped. */
const DRAIN_MS = 3000

export type PushesDeps = {
  db: Queryable
  /** A direct connection, as for `enterWorkers`. */
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  settings: Settings
}

/**
 * Sends what is planned to be pushed, until stopped. Several processes may: each message is leased to one.
 * @param nameServers for the names of push services, those of the machine unless given
 */
export function startPushes(
  deps: PushesDeps,
  nameServers: string[] | null = null,
): { stop(): Promise<void> } {
  const { settings } = deps
  const stopping = new AbortController()
  const wakeUp = makeWakeUp()
  const secret = makeSecretKey(settings.authSecret)
  const wire = makePushWire({ loopback: settings.pushLoopback, connections: AT_ONCE, nameServers })
  const keys = makePushKeys({ ...deps, secret })
  const sending = { ...deps, secret, keys, wire, sealer: makeSealer(contactOf(settings)) }
  const store = openPushStore({ ...deps, onNews: () => wakeUp.notify() })
  const running = run({ sending, store, wakeUp, stopping: stopping.signal })
  return {
    async stop() {
      stopping.abort()
      wakeUp.notify()
      await running
      await store.end()
      wire.close()
    },
  }
}

type Run = { sending: SendDeps & PushesDeps; store: PushStore; wakeUp: WakeUp; stopping: AbortSignal }

async function run({ sending, store, wakeUp, stopping }: Run): Promise<void> {
  const inHand = new Set<Promise<void>>()
  while (!stopping.aborted) {
    const seen = wakeUp.version()
    const room = AT_ONCE - inHand.size
    try {
      const taken = room > 0 ? await store.lease(room) : []
      const pushes = taken.length > 0 ? await findAll(sending, taken) : new Map<string, Push>()
      for (const message of taken) {
        const push = pushes.get(nameOf(message)) ?? null
        const done = sendPush(sending, message, push)
          .then((result) => store.record(result))
          .finally(() => {
            inHand.delete(done)
            wakeUp.notify()
          })
        inHand.add(done)
      }
      if (room === 0 || taken.length < room) await wakeUp.waitBeyond(seen, SWEEP_MS)
    } catch (error) {
      // What was leased and could not be read is free again when its lease has grown old.
      sending.log.warn({ reason: reasonOf(error) }, 'notifications could not be taken')
      await pause(FAULT_PAUSE_MS)
    }
  }
  await Promise.race([Promise.all(inHand), pause(DRAIN_MS, undefined, { ref: false })])
}

async function findAll({ clock, db }: PushesDeps, taken: LeasedDelivery[]): Promise<Map<string, Push>> {
  const pushes = await findPushes(db, taken, sessionBounds(clock.now()))
  return new Map(pushes.map((push) => [nameOf(push), push]))
}

function nameOf({
  deviceId,
  eventNo,
  traderId,
}: {
  traderId: string
  eventNo: number
  deviceId: string
}): string {
  return `${traderId} ${eventNo} ${deviceId}`
}
