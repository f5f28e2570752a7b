import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import { windowOf } from '../../platform/rate-window.ts'
import type { Settings } from '../../platform/settings.ts'
import { runWork, type Work } from '../../work/run-work.ts'
import type { WorkSession } from '../../work/work-session.ts'
import { makeMailer } from '../smtp/mailer.ts'
import { LANES, type Lane, LIMITED_MAILS } from './categories.ts'
import {
  type Ending,
  type LeasedMail,
  leaseMails,
  OUTBOX,
  recordEndings,
  takePlaces,
} from './leases.queries.ts'
import type { PrepareDeps } from './prepare-mails.ts'
import { type SendDeps, sendMails } from './send-mails.ts'

export type OutboxDeps = {
  session: WorkSession
  db: Queryable
  clock: Clock
  log: Log
  settings: Settings
  prepare: PrepareDeps['prepare']
  findLeaveUrls: SendDeps['findLeaveUrls']
  returnPaths: SendDeps['returnPaths']
  noteSignIn: SendDeps['noteSignIn']
}

/** Mails that a lane has in hand at most: enough for its connections while other mails are prepared or recorded. */
const IN_HAND = 48
/** Each batch costs the same statements. */
const BATCH = 16

/**
 * Sends the queued mails until stopped.
 * @returns `stop` lets mails on their way get their answer, and ends within five seconds
 */
export function startOutbox(deps: OutboxDeps): { stop(): Promise<void> } {
  const { clock, session, settings } = deps
  const lanes = LANES.map((lane) => {
    const mailer = makeMailer(settings.mail)
    const sending: SendDeps = {
      ...deps,
      origin: settings.origin,
      taxLiable: settings.taxLiable,
      operatorEmail: settings.operatorEmail,
      mailer,
      takePlaces(ids) {
        const window = { key: LIMITED_MAILS.key, ...windowOf(LIMITED_MAILS.windowSeconds, clock.now()) }
        return session.run((client) => takePlaces(client, ids, window))
      },
    }
    const running = runWork(deps, laneWork(lane, sending))
    return { stop: () => running.stop(), close: () => mailer.close() }
  })
  return {
    async stop() {
      await Promise.all(lanes.map(({ stop }) => stop()))
      for (const { close } of lanes) close()
    },
  }
}

function laneWork(lane: Lane, sending: SendDeps): Work<LeasedMail, Ending> {
  return {
    name: `single mails, ${lane}`,
    table: OUTBOX,
    keyOf: ({ id }) => [id],
    channel: 'outbox',
    isFor: (payload) => payload === lane,
    atOnce: IN_HAND,
    batch: BATCH,
    waiting: (at) => `lane = '${lane}' and ended_at is null and due_at <= ${at}`,
    lease: (client, terms, limit) => leaseMails(client, terms, { lane, limit }),
    record: (client, endings, { now, numbers }) =>
      recordEndings(client, numbers.all, endings, { now, key: LIMITED_MAILS.key }),
    handle: (mails, end) => sendMails(sending, mails, end),
  }
}
