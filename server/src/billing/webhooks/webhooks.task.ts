import type { Clock } from '../../platform/clock.ts'
import { withTransaction } from '../../platform/database.ts'
import { reasonOf } from '../../platform/log.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import { describeStripeError, errorCode, healsByItself, isStripeError } from '../../stripe/stripe-errors.ts'
import { backOff } from '../../work/back-off.ts'
import { type DueWork, dueWork } from '../../work/due-rows.ts'
import { defineTask, type Task } from '../../work/jobs.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { catchUp } from './catch-up-events.ts'
import { comparePage } from './compare-with-stripe.ts'
import { alertOf, handleEvent } from './handle-event.ts'
import { closeEvent, findWaitingEvent, noteFailure, type WaitingEvent } from './stripe-events.queries.ts'
import { catchUpEvents, compareWithStripe, STRIPE_EVENTS } from './webhooks.jobs.ts'

type Deps = PaymentsDeps & { clock: Clock }

/** Each may hold a connection while Stripe thinks. */
const EVENTS_AT_ONCE = 2
/** After a failure that could not be noted. */
const UNNOTED_PAUSE_MS = 20_000
/** Between the tries of an event that fails. */
const PAUSES = { firstMs: 10_000, longestMs: 6 * 3_600_000 }
/** By then it has failed for about 40 minutes, and a person has to look. What Stripe refuses needs one at once. */
const TRIES_BEFORE_ALERT = 9

/** What is done about Stripe's webhooks behind their acknowledgement. */
export function webhooksTasks(deps: Deps): Task[] {
  return [
    // Beside Stripe's webhooks, which can be lost.
    defineTask(catchUpEvents, () => catchUp(deps, deps.clock.now()), { minute: 23 }),
    defineTask(compareWithStripe, (from) => comparePage(deps, from, deps.clock.now()), {
      hour: 3,
      minute: 41,
    }),
  ]
}

/** Deals with what Stripe has told. */
export function webhooksWork(deps: Deps): DueWork {
  return dueWork(deps, {
    table: STRIPE_EVENTS,
    atOnce: EVENTS_AT_ONCE,
    pauseMs: UNNOTED_PAUSE_MS,
    handle: ({ event_id: eventId }) => dealWith(deps, eventId),
  })
}

/** An event is done once what it asked for has been committed; until then it is tried again. */
async function dealWith(deps: Deps, eventId: string): Promise<void> {
  const { clock, db } = deps
  const event = await findWaitingEvent(db, eventId)
  if (!event) return
  const now = clock.now()
  try {
    const outcome = await handleEvent(deps, { ...event, eventId }, now)
    await withTransaction(db, async (tx) => {
      const end = clock.now()
      const closed = await closeEvent(tx, eventId, outcome, end)
      const alert = closed && outcome === 'done' ? alertOf(event.type) : null
      if (alert) await alertOperator(tx, alert, event.objectId ?? eventId, end)
    })
  } catch (error) {
    deps.log.warn({ ...describeStripeError(error), type: event.type }, 'an event of Stripe is tried again')
    await keepTrying(deps, eventId, event, error)
  }
}

async function keepTrying(
  { clock, db }: Deps,
  eventId: string,
  before: WaitingEvent,
  error: unknown,
): Promise<void> {
  const attempts = before.attempts + 1
  const now = clock.now()
  const refused = isStripeError(error) && !healsByItself(error)
  await noteFailure(db, eventId, {
    error: codeOf(error),
    attempts,
    refusedAt: refused ? (before.refusedAt ?? now) : null,
    wasDueAt: before.dueAt,
    dueAt: new Date(now.getTime() + backOff(PAUSES, attempts)),
  })
  // An outage fails all of them: one mail says so.
  const limit = { key: 'alert:stripe-events', max: 1, windowSeconds: 3600 }
  const needsPerson = refused ? before.refusedAt === null : attempts === TRIES_BEFORE_ALERT
  if (needsPerson && (await overLimit(db, limit, now)) === null)
    await alertOperator(db, 'some events of Stripe cannot be dealt with', eventId, now)
}

function codeOf(error: unknown): string {
  return isStripeError(error) ? errorCode(error) : reasonOf(error)
}
