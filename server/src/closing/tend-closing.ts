import { CLOSING_REMINDER_DAYS } from '@tradepost/contract/closing'
import { DAY_MS } from '@tradepost/contract/trading-day'
import { suspensionChanged } from '../accounts/suspensions.jobs.ts'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import type { Clock } from '../platform/clock.ts'
import { withTransaction } from '../platform/database/queryable.ts'
import type { RecordLog } from '../record/record-log.ts'
import { eraseRecord } from '../record/tend-record.ts'
import { deleteCustomer } from '../stripe/customers.ts'
import { retireProduct } from '../stripe/prices.ts'
import type { StripeDeps } from '../stripe/stripe-client.ts'
import { enqueue } from '../work/jobs.ts'
import { type ClosePositionsDeps, closePositions } from './close-positions.ts'
import {
  awaitsStripe,
  type Closing,
  findClosing,
  hasOpenEnds,
  isMailUnderWay,
  lockClosing,
  markEnded,
  removeCustomerLeft,
  setDue,
} from './closings.queries.ts'
import { endReading, forgetSamples } from './erase.queries.ts'
import { type EraseDeps, erasePerson } from './erase-person.ts'

export type ClosingDeps = ClosePositionsDeps & EraseDeps & StripeDeps & { clock: Clock; record: RecordLog }

/** The last mail needs the address, which is gone afterwards; it is waited for no longer than this. */
const LAST_MAIL_MS = 3_600_000
/** Money that was paid in the last minute goes back first. Stripe ends a checkout after a day, and a worker looks at it an hour later. */
const STRIPE_MS = 26 * 3_600_000
const LOOK_AGAIN_MS = 60_000

/**
 * Does what is due of a closing: its positions and subscriptions, the mail two days before the end, the end. Each step stands in the
 * database before the next begins and is done once, so it may be run at any time, twice, and be cut off anywhere.
 * @throws what Stripe, the record or the database throw; a later run goes on there
 */
export async function tendClosing(deps: ClosingDeps, id: string, now: Date): Promise<void> {
  const closing = await findClosing(deps.db, id)
  if (!closing || closing.reopenedAt) return
  const positions = await closePositions(deps, closing.userId, now)
  // Behind the positions: followers are told of the closes before they are followers no more.
  if (!closing.erasedAt) await endSubscriptions(deps, closing)
  const at = (await bringOn(deps, closing, now)) ?? null
  const others = [
    ...(positions === 'tomorrow' ? [startOfNextDay(now)] : []),
    ...(positions === 'failed' ? [later(now, LOOK_AGAIN_MS)] : []),
    ...(at === null ? [] : [at]),
  ]
  const next = others.length === 0 ? null : new Date(Math.min(...others.map((one) => one.getTime())))
  await setDue(deps.db, closing, next)
}

function endSubscriptions({ db }: ClosingDeps, { userId }: Closing): Promise<void> {
  return enqueue(db, suspensionChanged, { userId }, { key: `suspension-changed:${userId}` })
}

/** @returns when something is due next; null for never */
async function bringOn(deps: ClosingDeps, closing: Closing, now: Date): Promise<Date | null> {
  const reminderAt = later(closing.eraseAt, -CLOSING_REMINDER_DAYS * DAY_MS)
  if (now < reminderAt) return reminderAt
  if (now < closing.eraseAt) {
    await remind(deps, closing, now)
    return closing.eraseAt
  }
  const endedAt = closing.endedAt ?? (await end(deps, closing, now))
  if (endedAt === null) return null
  if (!closing.erasedAt) {
    const isUnderWay = await isMailUnderWay(deps.db, { userId: closing.userId, cause: closing.id })
    const waited = now.getTime() - endedAt.getTime()
    if (isUnderWay && waited < LAST_MAIL_MS) return later(now, LOOK_AGAIN_MS)
    if (waited < STRIPE_MS && (await awaitsStripe(deps.db, closing.userId))) return later(now, LOOK_AGAIN_MS)
    // Whatever waits is stated in the record in the words of its time.
    await deps.record.ensure().catch((error: unknown) => {
      deps.log.warn({ reason: String(error) }, 'the record is not up to date before an erasure')
    })
    await erasePerson(deps, closing.id, now)
  }
  return finish(deps, closing.id)
}

function remind({ db }: ClosingDeps, { eraseAt, id, reason, userId }: Closing, now: Date): Promise<void> {
  const facts = {
    occasion: 'two_days_left',
    eraseAt: eraseAt.toISOString(),
    reason,
    closingId: id,
  } as const
  return queueMail(db, { kind: 'account_closed', userId, cause: `${id}:two_days_left`, facts }, now)
}

/** From then on nothing is given back. @returns when; null when it was given back in this moment */
function end({ db }: ClosingDeps, { id }: Closing, now: Date): Promise<Date | null> {
  return withTransaction(db, async (tx) => {
    const closing = await lockClosing(tx, id)
    if (!closing || closing.reopenedAt) return null
    if (closing.endedAt) return closing.endedAt
    await markEnded(tx, id, now)
    await queueMail(tx, { kind: 'account_erased', userId: closing.userId, cause: id, facts: {} }, now)
    return now
  })
}

/** Does the rest, once the person is gone from the tables. @returns when something is due next; null for never */
async function finish(deps: ClosingDeps, id: string): Promise<Date | null> {
  const closing = await findClosing(deps.db, id)
  if (!closing?.erasedAt) return null
  await eraseRecord(deps, closing.userId)
  await endReading(deps.db, closing.userId)
  await forgetSamples(deps.db)
  await retireProduct(deps, closing.userId)
  if (closing.customersLeft.length === 0) return null
  if (await hasOpenEnds(deps.db, closing.userId)) return later(deps.clock.now(), LAST_MAIL_MS)
  for (const customer of closing.customersLeft) {
    await deleteCustomer(deps, customer)
    await removeCustomerLeft(deps.db, id, customer)
  }
  return null
}

function later(instant: Date, milliseconds: number): Date {
  return new Date(instant.getTime() + milliseconds)
}

function startOfNextDay(now: Date): Date {
  return new Date(Math.floor(now.getTime() / DAY_MS + 1) * DAY_MS)
}
