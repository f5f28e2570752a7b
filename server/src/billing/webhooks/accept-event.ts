import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { overLimit } from '../../platform/rate-limit.ts'
import { isLiveMode } from '../../stripe/stripe-client.ts'
import { readAccountWebhook, readPlatformWebhook, type Webhook } from '../../stripe/verify-webhook.ts'
import { findPayoutAccountByStripeId } from '../payouts/payout-accounts.queries.ts'
import type { BillingDeps } from '../provider/billing-deps.ts'
import { findPlatform } from '../provider/platform.queries.ts'
import { receiveEvent } from './receive-event.ts'

export type AcceptDeps = BillingDeps & { clock: Clock }

/**
 * Takes in an event of the platform's own; only ids are kept of it.
 * @returns false when Stripe did not send it to us
 */
export async function acceptPlatformEvent(deps: AcceptDeps, webhook: Webhook, now: Date): Promise<boolean> {
  const event = readPlatformWebhook(deps, webhook, now)
  if (!event || !(await isMeantForUs(deps, event, event.account, now))) return false
  const { apiVersion, eventId, isOurVersion, objectId, type } = event
  if (!isOurVersion) deps.log.warn({ type, apiVersion }, 'a webhook came in another version of Stripe')
  await receiveEvent(deps.db, { eventId, endpoint: 'platform', type, objectId, apiVersion }, now)
  return true
}

/**
 * Takes in an event of a trader's account.
 * @returns false when Stripe did not send it to us
 */
export async function acceptAccountEvent(deps: AcceptDeps, webhook: Webhook, now: Date): Promise<boolean> {
  const event = readAccountWebhook(deps, webhook, now)
  if (!event) return false
  const { account, eventId, objectId, type } = event
  const isOwn = account === objectId || (account !== null && (await isTraders(deps.db, account)))
  if (!(await isMeantForUs(deps, event, isOwn ? null : account, now))) return false
  await receiveEvent(deps.db, { eventId, endpoint: 'accounts', type, objectId, apiVersion: null }, now)
  return true
}

async function isTraders(db: Queryable, accountId: string): Promise<boolean> {
  return (await findPayoutAccountByStripeId(db, accountId)) !== null
}

/**
 * Whether an event that Stripe signed is of the mode and the account that this database belongs to. One that is not shows
 * that something is set up wrongly, so the operator is notified, once an hour.
 * @param account in whose name it comes; null for the platform's own
 */
async function isMeantForUs(
  deps: AcceptDeps,
  event: { livemode: boolean; type: string },
  account: string | null,
  now: Date,
): Promise<boolean> {
  const { db, log, settings } = deps
  const rightMode = event.livemode === isLiveMode(settings)
  const rightAccount = account === null || account === (await findPlatform(db))?.accountId
  if (rightMode && rightAccount) return true
  const what = rightMode
    ? 'a webhook of another account was refused'
    : 'a webhook of another mode was refused'
  log.error({ type: event.type }, what)
  if ((await overLimit(db, { key: `alert:${what}`, max: 1, windowSeconds: 3600 }, now)) === null)
    await queueMail(db, { kind: 'operator_notice', userId: null, facts: noticeOf(what) }, now)
  return false
}

function noticeOf(what: string): { subject: string; text: string } {
  return {
    subject: `payments: ${what}`,
    text: `${what}.\n\nSomebody uses our signing secret for another Stripe account or mode: look at the webhook endpoints there.\n`,
  }
}
