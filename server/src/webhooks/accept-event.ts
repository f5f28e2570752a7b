import Stripe from 'stripe'
import * as z from 'zod'
import { queueMail } from '../mail/outbox/queue-mail.ts'
import type { PaymentsDeps } from '../payments/payments-deps.ts'
import { findPayoutAccountByStripeId } from '../payments/payout-accounts.queries.ts'
import { findPlatform } from '../payments/platform.queries.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import { overLimit } from '../platform/rate-limit.ts'
import { isLiveMode } from '../stripe/stripe-client.ts'
import { verifyWebhook } from '../stripe/verify-webhook.ts'
import { receiveEvent } from './receive-event.ts'

export type AcceptDeps = PaymentsDeps & { clock: Clock }
export type Webhook = { payload: Buffer; header: string | string[] | undefined }

const id = z.string().min(1).max(255)
const snapshot = z.object({
  id,
  type: id,
  livemode: z.boolean(),
  api_version: z.nullable(z.string()),
  account: z.optional(z.string()),
  data: z.object({ object: z.object({ id: z.optional(id) }) }),
})
const thin = z.object({
  id,
  type: id,
  livemode: z.boolean(),
  context: z.optional(z.unknown()),
  related_object: z.optional(z.nullable(z.object({ id }))),
})

/**
 * Takes in an event of the platform's own, which comes with its content; only ids are kept of it.
 * @returns false when it is not Stripe's word to us
 */
export async function acceptPlatformEvent(deps: AcceptDeps, webhook: Webhook, now: Date): Promise<boolean> {
  const { settings, stripe } = deps
  const read = verifyWebhook(
    webhook,
    settings.stripe.webhookSecrets,
    (...signed) => stripe.webhooks.constructEvent(...signed),
    now,
  )
  const event = snapshot.safeParse(read).data
  if (!event) return false
  if (!(await isMeantForUs(deps, event, event.account ?? null, now))) return false
  if (event.api_version !== Stripe.API_VERSION)
    deps.log.warn(
      { type: event.type, apiVersion: event.api_version },
      'a webhook came in another version of Stripe',
    )
  const { api_version, type } = event
  const objectId = event.data.object.id ?? null
  await receiveEvent(
    deps.db,
    { eventId: event.id, endpoint: 'platform', type, objectId, apiVersion: api_version },
    now,
  )
  return true
}

/**
 * Takes in an event of a trader's account, which names what changed and no more.
 * @returns false when it is not Stripe's word to us
 */
export async function acceptAccountEvent(deps: AcceptDeps, webhook: Webhook, now: Date): Promise<boolean> {
  const { settings, stripe } = deps
  const read = verifyWebhook(
    webhook,
    settings.stripe.accountsWebhookSecrets,
    (...signed) => stripe.parseEventNotification(...signed),
    now,
  )
  const event = thin.safeParse(read).data
  if (!event) return false
  const objectId = event.related_object?.id ?? null
  // The account in whose name it comes is the last of a path (docs.stripe.com/context).
  const context = event.context ? (String(event.context).split('/').at(-1) ?? null) : null
  const isOwn = context === objectId || (context !== null && (await isTraders(deps.db, context)))
  if (!(await isMeantForUs(deps, event, isOwn ? null : context, now))) return false
  await receiveEvent(
    deps.db,
    { eventId: event.id, endpoint: 'accounts', type: event.type, objectId, apiVersion: null },
    now,
  )
  return true
}

async function isTraders(db: Queryable, accountId: string): Promise<boolean> {
  return (await findPayoutAccountByStripeId(db, accountId)) !== null
}

/**
 * Whether an event that Stripe signed is of the mode and the account that this database belongs to. What is not shows
 * that something is set up wrongly, so the operator is told, once an hour.
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
