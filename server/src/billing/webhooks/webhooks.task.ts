import type { Clock } from '../../platform/clock.ts'
import { withTransaction } from '../../platform/database/queryable.ts'
import { reasonOf } from '../../platform/log.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import { fetchCase } from '../../stripe/disputes.ts'
import { findReturnedAccount } from '../../stripe/events.ts'
import { retrieveWarning } from '../../stripe/fraud-warnings.ts'
import {
  findInvoiceOf,
  findPaymentOfCharge,
  findPaymentOfRefund,
  findSubscriptionOf,
} from '../../stripe/invoices.ts'
import { describeStripeError, errorCode, healsByItself, isStripeError } from '../../stripe/stripe-errors.ts'
import type { AccountEvent, PlatformEvent } from '../../stripe/webhook-events.ts'
import { backOff } from '../../work/back-off.ts'
import { type DueWork, dueWork } from '../../work/due-rows.ts'
import { defineTask, type Task } from '../../work/jobs.ts'
import { syncCheckoutByStripeId } from '../checkouts/sync-checkout.ts'
import { syncCustomer } from '../customers/set-up-customer.ts'
import { syncAccount } from '../payouts/sync-account.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { endForDispute } from '../subscriptions/end-without-asking.ts'
import { listBoughtBy } from '../subscriptions/followers.queries.ts'
import { type SyncOutcome, syncSubscription } from '../subscriptions/sync-subscription.ts'
import { returnWarned } from '../warnings/return-warned.ts'
import { catchUp } from './catch-up-events.ts'
import { comparePage } from './compare-with-stripe.ts'
import { closeEvent, findWaitingEvent, noteFailure, type WaitingEvent } from './stripe-events.queries.ts'
import { catchUpEvents, compareWithStripe, STRIPE_EVENTS } from './webhooks.jobs.ts'

/** @property draftEvidence puts the evidence of a dispute in at Stripe, once (`server/src/disputes`); safe to repeat */
type HandlerDeps = BillingDeps & { draftEvidence(disputeId: string): Promise<void> }
type Deps = HandlerDeps & { clock: Clock }

/** Each may hold a connection while Stripe thinks. */
const EVENTS_AT_ONCE = 2
/** After a failure that could not be noted. */
const UNNOTED_PAUSE_MS = 20_000
/** Between the tries of an event that fails. */
const PAUSES = { firstMs: 10_000, longestMs: 6 * 3_600_000 }
/** After so many tries it has failed for about 40 minutes, and a person has to look. A refusal of Stripe needs one at once. */
const TRIES_BEFORE_ALERT = 9

/** Jobs about Stripe's webhooks, behind their acknowledgement. */
export function webhooksTasks(deps: BillingDeps & { clock: Clock }): Task[] {
  return [
    // Beside Stripe's webhooks, which can be lost.
    defineTask(catchUpEvents, () => catchUp(deps, deps.clock.now()), { minute: 23 }),
    defineTask(compareWithStripe, (from) => comparePage(deps, from, deps.clock.now()), {
      hour: 3,
      minute: 41,
    }),
  ]
}

/** Deals with the events that Stripe has sent. */
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
  // An outage fails all of them: one mail is enough.
  const limit = { key: 'alert:stripe-events', max: 1, windowSeconds: 3600 }
  const needsPerson = refused ? before.refusedAt === null : attempts === TRIES_BEFORE_ALERT
  if (needsPerson && (await overLimit(db, limit, now)) === null)
    await alertOperator(db, 'some events of Stripe cannot be dealt with', eventId, now)
}

function codeOf(error: unknown): string {
  return isStripeError(error) ? errorCode(error) : reasonOf(error)
}

/** An event names the object to read, and nothing else is used of it: its content may be old by now. */
type StripeNotification = { eventId: string; objectId: string | null }

type Handler = (deps: HandlerDeps, objectId: string, now: Date) => Promise<SyncOutcome>

const checkout: Handler = async (deps, id, now) => {
  const outcome = await syncCheckoutByStripeId(deps, id, now)
  return typeof outcome === 'string' ? outcome : syncSubscription(deps, outcome.paid, {}, now)
}
const subscription: Handler = (deps, id, now) => syncSubscription(deps, id, {}, now)
const invoice: Handler = (deps, id, now) => syncInvoice(deps, id, { disputed: false }, now)
const account: Handler = async (deps, id, now) => ((await syncAccount(deps, id, now)) ? 'done' : 'ignored')

const HANDLERS: Record<PlatformEvent | AccountEvent, Handler> = {
  'checkout.session.completed': checkout,
  'checkout.session.async_payment_succeeded': checkout,
  'checkout.session.async_payment_failed': checkout,
  'checkout.session.expired': checkout,
  'customer.subscription.created': subscription,
  'customer.subscription.updated': subscription,
  'customer.subscription.deleted': subscription,
  'customer.subscription.paused': subscription,
  'customer.subscription.resumed': subscription,
  'invoice.paid': invoice,
  'invoice.payment_failed': invoice,
  'invoice.payment_action_required': invoice,
  'invoice.finalization_failed': invoice,
  'charge.refunded': syncCharge,
  'refund.failed': syncRefund,
  'charge.dispute.created': syncDispute,
  // An inquiry that becomes a chargeback is created no second time.
  'charge.dispute.funds_withdrawn': syncDispute,
  'charge.dispute.closed': syncDispute,
  'radar.early_fraud_warning.created': syncWarning,
  'customer.deleted': customerDeleted,
  'v2.core.account.updated': account,
  'v2.core.account.closed': account,
  'v2.core.account[requirements].updated': account,
  'v2.core.account[configuration.recipient].capability_status_updated': account,
  'v2.core.account_link.returned': account,
}

/** Events that a person has to look at, beside what the product does automatically. */
const ALERTS: Partial<Record<string, string>> = {
  'refund.failed': 'a refund failed: the money is with the platform again',
  'invoice.finalization_failed': 'an invoice could not be finalized',
}

/** @returns what the operator is notified of by an event of this type; null for nothing */
function alertOf(type: string): string | null {
  return ALERTS[type] ?? null
}

/**
 * Looks at Stripe where an event points, and writes what is true there now. Safe to repeat.
 * @throws what Stripe throws; the event is to be tried again
 */
async function handleEvent(
  deps: HandlerDeps,
  event: StripeNotification & { type: string },
  now: Date,
): Promise<SyncOutcome> {
  const handler = (HANDLERS as Record<string, Handler>)[event.type]
  if (!handler) return 'ignored'
  const isReturn = event.type === 'v2.core.account_link.returned'
  const objectId = event.objectId ?? (isReturn ? await findReturnedAccount(deps, event.eventId) : null)
  return objectId === null ? 'ignored' : handler(deps, objectId, now)
}

/** A deleted customer's subscriptions have ended with it. */
async function customerDeleted(deps: BillingDeps, customerId: string, now: Date): Promise<SyncOutcome> {
  const customer = await syncCustomer(deps, customerId, now)
  if (!customer) return 'ignored'
  if (customer.exists) return 'done'
  for (const id of await listBoughtBy(deps.db, customer.userId)) await syncSubscription(deps, id, {}, now)
  return 'done'
}

/**
 * Brings an invoice, its subscription and the subscription's pair in line with Stripe.
 * @param invoiceId Stripe's
 * @param options.disputed asks Stripe for a dispute even where the charge is not marked as disputed (any more)
 * @returns `ignored` for an invoice that belongs to no subscription of this product
 * @throws what Stripe throws; `syncPair` names what has been written then
 */
async function syncInvoice(
  deps: BillingDeps,
  invoiceId: string,
  options: { disputed: boolean },
  now: Date,
): Promise<SyncOutcome> {
  const subscriptionId = await findSubscriptionOf(deps, invoiceId)
  return subscriptionId ? syncSubscription(deps, subscriptionId, { invoiceId, ...options }, now) : 'ignored'
}

/** Brings the invoice that a charge paid in line with Stripe, as `syncInvoice` does. */
async function syncCharge(deps: BillingDeps, chargeId: string, now: Date): Promise<SyncOutcome> {
  return syncPayment(deps, await findPaymentOfCharge(deps, chargeId), { disputed: false }, now)
}

/**
 * Brings the invoice whose payment is disputed in line with Stripe, as `syncInvoice` does. Access ends first, from what the
 * database knows of the payment, so that it ends even while Stripe refuses the other reads (ADR 0026).
 */
async function syncDispute(deps: HandlerDeps, disputeId: string, now: Date): Promise<SyncOutcome> {
  const dispute = await fetchCase(deps, disputeId)
  const { paymentId } = dispute
  if (paymentId) await endForDispute(deps, dispute, paymentId, now)
  const outcome = await syncPayment(deps, paymentId, { disputed: true }, now)
  // Last: whatever becomes of the evidence, access has ended and the money is owed.
  await deps.draftEvidence(disputeId)
  return outcome
}

/**
 * Returns a payment that its card network warns of (rule G-128), as Stripe has the warning now. The database decides where it knows
 * the payment; one that is not known here yet is written first.
 */
async function syncWarning(deps: BillingDeps, warningId: string, now: Date): Promise<SyncOutcome> {
  const warning = await retrieveWarning(deps, warningId)
  const sync = () => syncPayment(deps, warning.paymentId, { disputed: false }, now)
  const wasKnown = await returnWarned(deps, warning, now)
  const outcome = await sync()
  if (wasKnown || outcome === 'ignored') return outcome
  // The second one does at Stripe what was decided between.
  return (await returnWarned(deps, warning, now)) ? sync() : outcome
}

/** Brings the invoice whose payment was refunded, whole or in part, in line with Stripe, as `syncInvoice` does. */
async function syncRefund(deps: BillingDeps, refundId: string, now: Date): Promise<SyncOutcome> {
  return syncPayment(deps, await findPaymentOfRefund(deps, refundId), { disputed: false }, now)
}

async function syncPayment(
  deps: BillingDeps,
  paymentId: string | null,
  options: { disputed: boolean },
  now: Date,
): Promise<SyncOutcome> {
  const invoiceId = paymentId && (await findInvoiceOf(deps, paymentId))
  return invoiceId ? syncInvoice(deps, invoiceId, options, now) : 'ignored'
}
