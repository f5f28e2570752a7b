import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { reasonOf } from '../platform/http/error-handler.ts'
import type { Log } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { type Bell, makeBell } from './bell.ts'
import { type EventMails, makeEventMails } from './event-mails.ts'
import { type Ledger, openLedger } from './ledger.ts'
import { senderAddress } from './mail-template.ts'
import { planForgotten } from './plan-deliveries.ts'
import { makeRefusalWindow, type RefusalWindow } from './refusal-window.ts'
import type { Remains } from './results.ts'
import type { Sender } from './sender.ts'
import { startSlot } from './slot.ts'

export type Delivery = {
  /** Looks for work now: the clock has been moved, or something was written that nobody announced. */
  wake(): void
  /** Lets every connection finish its mail and gives the rest back; within five seconds whatever hangs. */
  stop(): Promise<void>
}

export type DeliveryDeps = {
  db: Queryable
  databaseUrl: string
  clock: Clock
  log: Log
  settings: Settings
}

const SWEEP_MS = 2000
/** A session gone silent is noticed so much later, and the time-out of a statement. */
const RENEW_MS = 1000
const DRAIN_MS = 3000
const REOPEN_MS = 500

/** Sends what the ledger holds until stopped, through SMTP_CONNECTIONS connections. */
export async function startDelivery(deps: DeliveryDeps): Promise<Delivery> {
  const bell = makeBell()
  const sweepBell = makeBell()
  const wake = () => {
    sweepBell.ring()
    bell.ring()
  }
  const stop = Promise.withResolvers<void>()
  const shared: Shared = {
    deps,
    bell,
    sweepBell,
    mails: makeEventMails(deps),
    window: makeRefusalWindow(),
    suspects: new Set(),
    stopping: false,
    stop,
  }
  const running = keepSending(shared, await openInTime(shared, null))
  return {
    wake,
    async stop() {
      shared.stopping = true
      stop.resolve()
      wake()
      await running
    },
  }
}

type Shared = {
  deps: DeliveryDeps
  bell: Bell
  sweepBell: Bell
  mails: EventMails
  window: RefusalWindow
  suspects: Set<string>
  stopping: boolean
  stop: PromiseWithResolvers<void>
}

/** A lost database session costs the worker its leases: it starts anew under another number. */
async function keepSending(shared: Shared, first: Ledger | null): Promise<void> {
  for (let ledger = first; ledger; ) {
    await sendUnder(shared, ledger)
    ledger = await openInTime(shared, ledger.remains())
  }
}

/**
 * Opens a ledger as soon as the database is there.
 * @param remains of the one before
 * @returns null when the worker stops before
 */
async function openInTime(shared: Shared, remains: Remains | null): Promise<Ledger | null> {
  let waiting = false
  while (!shared.stopping) {
    try {
      return await openLedger({ ...shared.deps, onNews: shared.bell.ring, remains })
    } catch (error) {
      if (!waiting) shared.deps.log.warn({ reason: reasonOf(error) }, 'mails wait for the database')
      waiting = true
    }
    await shared.bell.wait(shared.bell.strokes(), REOPEN_MS)
  }
  return null
}

async function sendUnder(shared: Shared, ledger: Ledger): Promise<void> {
  const { deps, bell, sweepBell } = shared
  let lost = false
  const watch = ledger.lost.catch(() => {
    lost = true
    bell.ring()
    sweepBell.ring()
  })
  const sender: Sender = {
    ...deps,
    ledger,
    mails: shared.mails,
    smtpUrl: deps.settings.mail.smtpUrl,
    from: senderAddress(deps.settings.mail.from),
    bell,
    ended: () => shared.stopping || lost,
    window: shared.window,
    suspects: shared.suspects,
    parked: [],
  }
  const { connections } = deps.settings.mail
  const slots = Array.from({ length: connections }, (_, index) =>
    startSlot(sender, { reserved: index === 0 && connections > 1 }),
  )
  const drained = Promise.all([
    ...slots.map((slot) => slot.ended),
    repeat(sender, sweepBell, { everyMs: RENEW_MS, work: () => sender.ledger.renewLeases() }),
    repeat(sender, sweepBell, { everyMs: SWEEP_MS, work: () => sweep(sender) }),
  ])
  await Promise.race([drained, watch, shared.stop.promise])
  // A mail that is on its way gets its answer; a mail server that does not answer is not waited for.
  const hanging = setTimeout(() => {
    for (const slot of slots) slot.abandon()
  }, DRAIN_MS)
  await drained
  clearTimeout(hanging)
  await ledger.end()
}

/** Works now and again, and when the bell is rung, until the sender ends. */
async function repeat(
  sender: Sender,
  bell: Bell,
  task: { everyMs: number; work: () => Promise<void> },
): Promise<void> {
  while (!sender.ended()) {
    const heard = bell.strokes()
    try {
      await task.work()
    } catch (error) {
      if (!sender.ended()) sender.log.warn({ reason: reasonOf(error) }, 'the sweep of mails failed')
    }
    await bell.wait(heard, task.everyMs)
  }
}

/** Plans forgotten events, finds retries that are due and ranges left behind. */
async function sweep(sender: Sender): Promise<void> {
  await releaseParked(sender)
  await planForgotten(sender.db, sender.clock.now())
  if (await sender.ledger.isWorkWaiting()) sender.bell.ring()
}

async function releaseParked(sender: Sender): Promise<void> {
  const now = sender.clock.now()
  for (const parked of sender.parked.filter(({ until }) => until <= now)) {
    await sender.ledger.releaseRange(parked.range)
    sender.parked = sender.parked.filter((other) => other !== parked)
  }
}
