import { makeSecretKey } from '../../auth/keys/secret-key.ts'
import { sessionBounds } from '../../auth/sessions/session-life.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { runWork, type Work } from '../../work/run-work.ts'
import type { WorkSession } from '../../work/work-session.ts'
import { makePushKeys } from '../devices/push-keys.ts'
import {
  type DeliveryKey,
  deleteDevices,
  type Ending,
  type LeasedDelivery,
  leaseDeliveries,
  PUSH_TABLE,
  recordEndings,
} from './leases.queries.ts'
import { makePushWire } from './post-message.ts'
import { makeSealer } from './seal-message.ts'
import { type Result, type SendDeps, sendPush } from './send-push.ts'
import { findPushes } from './sending.queries.ts'

/** Messages that a worker has in hand at once: as many are sent again at most when it is killed. */
const AT_ONCE = 128

export type PushesDeps = {
  session: WorkSession
  db: Queryable
  clock: Clock
  log: Log
  settings: Settings
}

/**
 * Sends the planned messages, until stopped. Several processes may: each message is leased to one.
 * @param nameServers for the names of push services, those of the machine unless given
 */
export function startPushes(
  deps: PushesDeps,
  nameServers: string[] | null = null,
): { stop(): Promise<void> } {
  const { settings } = deps
  const secret = makeSecretKey(settings.authSecret)
  const wire = makePushWire({ loopback: settings.pushLoopback, connections: AT_ONCE, nameServers })
  const keys = makePushKeys({ ...deps, secret })
  const running = runWork(
    deps,
    pushWork({ ...deps, secret, keys, wire, sealer: makeSealer(contactOf(settings)) }),
  )
  return {
    async stop() {
      await running.stop()
      wire.close()
    },
  }
}

function pushWork(sending: SendDeps & PushesDeps): Work<LeasedDelivery, Result> {
  return {
    name: 'notifications',
    table: PUSH_TABLE,
    keyOf: ({ deviceId, eventNo, traderId }) => [traderId, eventNo, deviceId],
    channel: 'pushes',
    atOnce: AT_ONCE,
    // Ignores the due time: no index leads with it, and few messages wait that are not due.
    waiting: () => 'ended_at is null',
    lease: leaseDeliveries,
    async record(client, results, { now, numbers }) {
      const endings = results.filter((result): result is Ending => !('gone' in result))
      const gone = results.flatMap((result) => ('gone' in result ? [result.gone] : []))
      if (endings.length > 0) await recordEndings(client, numbers.all, endings, now)
      if (gone.length > 0) await deleteDevices(client, gone)
    },
    async handle(messages, end) {
      const alive = sessionBounds(sending.clock.now())
      const pushes = new Map(
        (await findPushes(sending.db, messages, alive)).map((push) => [nameOf(push), push]),
      )
      await Promise.all(
        messages.map(async (message) =>
          end(message, await sendPush(sending, message, pushes.get(nameOf(message)) ?? null)),
        ),
      )
    },
  }
}

function nameOf({ deviceId, eventNo, traderId }: DeliveryKey): string {
  return `${traderId} ${eventNo} ${deviceId}`
}

/** The address that push services can write to about our messages (RFC 8292 section 2.1): the operator's, else the sender of our mails. */
function contactOf({ mail, operatorEmail }: Pick<Settings, 'mail' | 'operatorEmail'>): string {
  const address = operatorEmail ?? /<([^>]+)>/.exec(mail.from)?.[1] ?? mail.from
  return `mailto:${address.trim()}`
}
