import { findReturnedAccount } from '../../stripe/events.ts'
import type { AccountEvent, PlatformEvent } from '../../stripe/webhook-events.ts'
import { syncCustomer } from '../customers/set-up-customer.ts'
import { syncAccount } from '../payouts/sync-account.ts'
import type { PaymentsDeps } from '../provider/payments-deps.ts'
import { listBoughtBy } from '../subscriptions/followers.queries.ts'
import { syncSession } from '../subscriptions/sync-checkout.ts'
import { syncCharge, syncDispute, syncInvoice, syncRefund } from '../subscriptions/sync-invoice.ts'
import { type SyncOutcome, syncSubscription } from '../subscriptions/sync-subscription.ts'

/** An event says where to look, and nothing else: what it told of the object may be old by now. */
export type StripeNotification = { eventId: string; objectId: string | null }

type Handler = (deps: PaymentsDeps, objectId: string, now: Date) => Promise<SyncOutcome>

const subscription: Handler = (deps, id, now) => syncSubscription(deps, id, {}, now)
const invoice: Handler = (deps, id, now) => syncInvoice(deps, id, { disputed: false }, now)
const account: Handler = async (deps, id, now) => ((await syncAccount(deps, id, now)) ? 'done' : 'ignored')
/** The operator is told; nothing here changes by it. */
const nothing: Handler = async () => 'done'

const HANDLERS: Record<PlatformEvent | AccountEvent, Handler> = {
  'checkout.session.completed': syncSession,
  'checkout.session.async_payment_succeeded': syncSession,
  'checkout.session.async_payment_failed': syncSession,
  'checkout.session.expired': syncSession,
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
  'charge.dispute.closed': syncDispute,
  'radar.early_fraud_warning.created': nothing,
  'customer.deleted': customerDeleted,
  'v2.core.account.updated': account,
  'v2.core.account.closed': account,
  'v2.core.account[requirements].updated': account,
  'v2.core.account[configuration.recipient].capability_status_updated': account,
  'v2.core.account_link.returned': account,
}

/** What a person has to look at, beside what the product does automatically. */
const ALERTS: Partial<Record<string, string>> = {
  'refund.failed': 'a refund failed: the money is with the platform again',
  'invoice.finalization_failed': 'an invoice could not be finalized',
  'radar.early_fraud_warning.created': 'a payment may be fraud, says the card network',
}

/** @returns what the operator is to be told of an event of this type; null for nothing */
export function alertOf(type: string): string | null {
  return ALERTS[type] ?? null
}

/**
 * Looks at Stripe where an event points, and writes what is true there now. Safe to repeat.
 * @throws what Stripe throws; the event is to be tried again
 */
export async function handleEvent(
  deps: PaymentsDeps,
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
async function customerDeleted(deps: PaymentsDeps, customerId: string, now: Date): Promise<SyncOutcome> {
  const customer = await syncCustomer(deps, customerId, now)
  if (!customer) return 'ignored'
  if (customer.exists) return 'done'
  for (const id of await listBoughtBy(deps.db, customer.userId)) await syncSubscription(deps, id, {}, now)
  return 'done'
}
