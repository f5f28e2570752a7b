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
import { makeRefusalWindow } from './refusal-window.ts'
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
  const shared: Shared = { deps, bell, sweepBell, mails: makeEventMails(deps), stopping: false, stop }
  const first = await openLedger({ ...deps, onNews: bell.ring })
  const running = keepSending(shared, first)
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
  stopping: boolean
  stop: PromiseWithResolvers<void>
}

/** A lost database session costs the worker its leases: it starts anew under another number. */
async function keepSending(shared: Shared, first: Ledger): Promise<void> {
  let ledger: Ledger | null = first
  while (!shared.stopping) {
    if (ledger) await sendUnder(shared, ledger)
    ledger = null
    if (shared.stopping) break
    await shared.bell.wait(shared.bell.strokes(), REOPEN_MS)
    ledger = await openLedger({ ...shared.deps, onNews: shared.bell.ring }).catch((error: unknown) => {
      shared.deps.log.warn({ reason: reasonOf(error) }, 'mails wait for the database')
      return null
    })
  }
  await ledger?.end()
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
    window: makeRefusalWindow(),
    suspects: new Set(),
    parked: [],
  }
  const { connections } = deps.settings.mail
  const slots = Array.from({ length: connections }, (_, index) =>
    startSlot(sender, { reserved: index === 0 && connections > 1 }),
  )
  const drained = Promise.all([...slots.map((slot) => slot.ended), sweep(sender, sweepBell)])
  await Promise.race([drained, watch, shared.stop.promise])
  // A mail that is on its way gets its answer; a mail server that does not answer is not waited for.
  const hanging = setTimeout(() => {
    for (const slot of slots) slot.abandon()
  }, DRAIN_MS)
  await drained
  clearTimeout(hanging)
  await ledger.end()
}

/** The slow heartbeat: keeps leases young, plans forgotten events, finds retries that are due and ranges left behind. */
async function sweep(sender: Sender, sweepBell: Bell): Promise<void> {
  while (!sender.ended()) {
    const heard = sweepBell.strokes()
    try {
      await sender.ledger.renewLeases()
      await releaseParked(sender)
      await planForgotten(sender.db, sender.clock.now())
      if (await sender.ledger.isWorkWaiting()) sender.bell.ring()
    } catch (error) {
      if (!sender.ended()) sender.log.warn({ reason: reasonOf(error) }, 'the sweep of mails failed')
    }
    await sweepBell.wait(heard, SWEEP_MS)
  }
}

async function releaseParked(sender: Sender): Promise<void> {
  const now = sender.clock.now()
  for (const parked of sender.parked.filter(({ until }) => until <= now)) {
    await sender.ledger.releaseRange(parked.range)
    sender.parked = sender.parked.filter((other) => other !== parked)
  }
}
