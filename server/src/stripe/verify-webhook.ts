import Stripe from 'stripe'
import * as z from 'zod'
import { sdkOf } from './sdk.ts'
import type { StripeDeps } from './stripe-client.ts'

/** How far a webhook's time may be from ours: an older one may be a replay (docs.stripe.com/webhooks/signature). */
const TOLERANCE_SECONDS = 300

/** The SDK's function that checks the signature of the raw bytes and then parses them. */
type Reader<Read> = (
  payload: Buffer,
  header: string,
  secret: string,
  toleranceSeconds: number,
  cryptoProvider: undefined,
  receivedAtMs: number,
) => Read

/** The raw bytes, and what stands in the header of the signature. */
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

/** @property account in whose name it comes; null for the platform's own */
export type SignedEvent = {
  eventId: string
  type: string
  livemode: boolean
  objectId: string | null
  account: string | null
}

/**
 * Reads an event of the platform's own, which comes with its content.
 * @param now by the product's clock, UTC
 * @returns null when it is not Stripe's word to us of the last five minutes, whatever is wrong with it
 */
export function readPlatformWebhook(
  deps: StripeDeps,
  webhook: Webhook,
  now: Date,
): (SignedEvent & { apiVersion: string | null; isOurVersion: boolean }) | null {
  const { webhooks } = sdkOf(deps)
  const { webhookSecrets } = deps.settings.stripe
  const read = verify(webhook, webhookSecrets, (...signed) => webhooks.constructEvent(...signed), now)
  const event = snapshot.safeParse(read).data
  if (!event) return null
  return {
    eventId: event.id,
    type: event.type,
    livemode: event.livemode,
    objectId: event.data.object.id ?? null,
    account: event.account ?? null,
    apiVersion: event.api_version,
    isOurVersion: event.api_version === Stripe.API_VERSION,
  }
}

/** Reads an event of a trader's account, which names what changed and no more, as `readPlatformWebhook` does. */
export function readAccountWebhook(deps: StripeDeps, webhook: Webhook, now: Date): SignedEvent | null {
  const stripe = sdkOf(deps)
  const { accountsWebhookSecrets } = deps.settings.stripe
  const read = verify(
    webhook,
    accountsWebhookSecrets,
    (...signed) => stripe.parseEventNotification(...signed),
    now,
  )
  const event = thin.safeParse(read).data
  if (!event) return null
  return {
    eventId: event.id,
    type: event.type,
    livemode: event.livemode,
    objectId: event.related_object?.id ?? null,
    // The account in whose name it comes is the last of a path (docs.stripe.com/context).
    account: event.context ? (String(event.context).split('/').at(-1) ?? null) : null,
  }
}

/**
 * @param secrets several while a new one replaces an old one
 * @returns what `read` returns; null for what was not signed with one of the secrets within the last five minutes
 */
function verify<Read>(
  { header, payload }: Webhook,
  secrets: readonly string[],
  read: Reader<Read>,
  now: Date,
): Read | null {
  if (typeof header !== 'string' || !isTimely(header, now)) return null
  for (const secret of secrets) {
    try {
      return read(payload, header, secret, TOLERANCE_SECONDS, undefined, now.getTime())
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeSignatureVerificationError)) return null
    }
  }
  return null
}

/** Refuses a time that is too old or too far in the future; the SDK checks only the former. */
function isTimely(header: string, now: Date): boolean {
  const stamps = header.split(',').filter((part) => part.startsWith('t='))
  const age = now.getTime() / 1000 - Number(stamps[0]?.slice(2) || Number.NaN)
  return stamps.length === 1 && Math.abs(age) <= TOLERANCE_SECONDS
}
