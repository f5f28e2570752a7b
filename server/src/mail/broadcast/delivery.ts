import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import type { Settings } from '../../platform/settings.ts'
import { makeWakeUp, type WakeUp } from '../../work/wake-up.ts'
import type { WorkSession } from '../../work/work-session.ts'
import { type EventMails, makeEventMails, NOBODY } from '../event-mails/event-mails.ts'
import { senderAddress } from '../event-mails/mail-template.ts'
import { returnPathsOf } from '../event-mails/return-paths-of.ts'
import { cutRanges, findRecipients } from '../plan/audience.queries.ts'
import { lockPlan, recordPlanned } from '../plan/planning.queries.ts'
import { type DeliveryStore, openDeliveryStore } from '../progress/delivery-store.ts'
import { isDeliveryDue } from '../progress/leases.queries.ts'
import type { Remains } from '../progress/results.ts'
import { makeRefusalWindow, type RefusalWindow } from '../refusals/refusal-window.ts'
import { SessionLimit } from '../refusals/session-limit.ts'
import { makePipeliningTrust, type PipeliningTrust } from '../smtp/pipelining-trust.ts'
import { findEndedEvent } from './ended-events.queries.ts'
import { RecentStops } from './recent-stops.ts'
import type { Sender } from './sender.ts'
import { startSenderLoop } from './sender-loop.ts'

/** Ranges that a small event has read at once, each over a connection to the database. */
const READ_AT_ONCE = 4

type RehearsalDeps = { db: Queryable; clock: Clock; mails: EventMails }

export type Delivery = {
  /** Looks for work now: the clock has been moved, or something was written that nobody announced. */
  wake(): void
  /** Lets every connection finish its mail and gives the rest back; within five seconds whatever hangs. */
  stop(): Promise<void>
}

export type DeliveryDeps = {
  /** The session whose regular look wakes the senders, should a notification be lost or this session go silent. */
  session: Pick<WorkSession, 'add'>
  db: Queryable
  databaseUrl: string
  dropIdle: () => void
  clock: Clock
  log: Log
  settings: Settings
}

/** Between two renewals of the leases in hand. */
const RENEW_MS = 1000

const DRAIN_MS = 3000

const REOPEN_MS = 500

/** Sends the mails of the store until stopped, through SMTP_CONNECTIONS connections. */
export async function startDelivery(deps: DeliveryDeps): Promise<Delivery> {
  const wakeUp = makeWakeUp()
  const sweepWakeUp = makeWakeUp()
  const wake = () => {
    sweepWakeUp.notify()
    wakeUp.notify()
  }
  const stop = Promise.withResolvers<void>()
  const shared: Shared = {
    deps,
    wakeUp,
    sweepWakeUp,
    mails: makeEventMails(deps),
    window: makeRefusalWindow(),
    suspects: new Set(),
    stops: new RecentStops(),
    limit: new SessionLimit(),
    trust: makePipeliningTrust(deps.clock),
    from: envelopeSenders(deps.settings),
    stopping: false,
    stop,
  }
  const leave = deps.session.add({ onNews: wakeUp.notify, isWaiting: isDeliveryDue })
  await rehearse({ ...deps, mails: shared.mails })
  const running = keepSending(shared, await openInTime(shared, null))
  return {
    wake,
    async stop() {
      shared.stopping = true
      stop.resolve()
      wake()
      await running
      leave()
    },
  }
}

type Shared = {
  deps: DeliveryDeps
  wakeUp: WakeUp
  sweepWakeUp: WakeUp
  mails: EventMails
  window: RefusalWindow
  suspects: Set<string>
  stops: RecentStops
  limit: SessionLimit
  trust: PipeliningTrust
  from: Sender['from']
  stopping: boolean
  stop: PromiseWithResolvers<void>
}

/** The sender's own address, or one for each mail, to which later reports about it are sent (ADR 0066). */
function envelopeSenders(settings: Settings): Sender['from'] {
  const paths = returnPathsOf(settings)
  const { from } = settings.mail
  const address = senderAddress(from)
  return ({ tag }, readerIds) => {
    if (!paths) return () => address
    const senders = paths.ofAll({ topic: 'positions', tag }, readerIds())
    return (place) => senders[place] ?? ''
  }
}

/** A lost database session costs the worker its leases: it starts again under another number. */
async function keepSending(shared: Shared, first: DeliveryStore | null): Promise<void> {
  for (let store = first; store; ) {
    await sendUnder(shared, store)
    store = await openInTime(shared, store.remains())
  }
}

/**
 * Opens a store as soon as the database is there.
 * @param remains of the one before
 * @returns null when the worker stops before
 */
async function openInTime(shared: Shared, remains: Remains | null): Promise<DeliveryStore | null> {
  let waiting = false
  while (!shared.stopping) {
    try {
      const { progressDir } = shared.deps.settings.mail
      const wake = {
        onNews: shared.wakeUp.notify,
        onStop: (userId: string) => shared.stops.note(userId),
        onHeld: shared.sweepWakeUp.notify,
      }
      return await openDeliveryStore({ ...shared.deps, ...wake, progressDir, remains })
    } catch (error) {
      if (!waiting) shared.deps.log.warn({ reason: reasonOf(error) }, 'mails wait for the database')
      waiting = true
    }
    await shared.wakeUp.waitBeyond(shared.wakeUp.version(), REOPEN_MS)
  }
  return null
}

async function sendUnder(shared: Shared, store: DeliveryStore): Promise<void> {
  const { deps, wakeUp, sweepWakeUp } = shared
  let lost = false
  const watch = store.lost.catch(() => {
    lost = true
    wakeUp.notify()
    sweepWakeUp.notify()
  })
  const sender: Sender = {
    ...deps,
    store,
    mails: shared.mails,
    smtpUrl: deps.settings.mail.smtpUrl,
    from: shared.from,
    wakeUp,
    ended: () => shared.stopping || lost,
    window: shared.window,
    suspects: shared.suspects,
    stops: shared.stops,
    limit: shared.limit,
    trust: shared.trust,
    parked: [],
    ahead: [],
  }
  const { connections } = deps.settings.mail
  const loops = Array.from({ length: connections }, (_, index) =>
    startSenderLoop(sender, { reserved: index === 0 && connections > 1 }),
  )
  const drained = Promise.all([...loops.map((loop) => loop.ended), tendHeld(sender, sweepWakeUp)])
  await Promise.race([drained, watch, shared.stop.promise])
  // A mail that is on its way gets its answer; a mail server that does not answer is not waited for.
  const hanging = setTimeout(() => {
    for (const loop of loops) loop.abandon()
  }, DRAIN_MS)
  await drained
  clearTimeout(hanging)
  await store.end()
}

/** While something is held, renews it and looks for ranges that may go back, every second and when woken. */
async function tendHeld(sender: Sender, wakeUp: WakeUp): Promise<void> {
  const run = async (sweep: string, work: () => Promise<void>) => {
    try {
      await work()
    } catch (error) {
      if (!sender.ended()) sender.log.warn({ sweep, reason: reasonOf(error) }, 'a sweep of mails failed')
    }
  }
  while (!sender.ended()) {
    const seen = wakeUp.version()
    const { store } = sender
    if (store.holdsNothing()) {
      await wakeUp.waitBeyond(seen, null)
      continue
    }
    await wakeUp.waitBeyond(seen, RENEW_MS)
    await run('leases of mails', () => store.renewLeases())
    await run('ranges set aside', () => sweep(sender))
  }
}

/** Releases ranges that this worker has kept for long without mailing them. */
async function sweep(sender: Sender): Promise<void> {
  await releaseParked(sender)
  const now = sender.clock.now()
  await Promise.all(sender.ahead.map((ahead) => ahead.giveBackStale(now)))
}

async function releaseParked(sender: Sender): Promise<void> {
  const now = sender.clock.now()
  for (const parked of sender.parked.filter(({ until }) => until <= now)) {
    await sender.store.releaseRange(parked.range)
    sender.parked = sender.parked.filter((other) => other !== parked)
  }
}

/** Renders a mail, and has the database asked once, about a trader who does not exist, all that an event's mails ask. Nothing depends on it. */
async function rehearse({ clock, db, mails }: RehearsalDeps): Promise<void> {
  const now = clock.now()
  mails.rehearse(now)
  const plan = withTransaction(db, async (tx) => {
    await lockPlan(tx, NOBODY)
    await cutRanges(tx, NOBODY, { recipients: 1, perRange: 1 }, now)
    await recordPlanned(tx, NOBODY, { recipients: 0, ended: true }, now)
  })
  const part = { ...NOBODY, after: 0, upTo: 0 }
  const pages = Array.from({ length: READ_AT_ONCE }, () => findRecipients(db, part, now))
  await Promise.allSettled([mails.of(NOBODY), plan, findEndedEvent(db, NOBODY), ...pages])
}
