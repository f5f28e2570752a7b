import * as z from 'zod/mini'
import { limited } from './limited.ts'
import { PUSH_ENDPOINT_MAX_LENGTH, UUID_LENGTH } from './limits.ts'
import { sessionPlace } from './sessions.ts'

/** A name with a dot and no IP address, https on its port: the form of a push service on the Internet. */
const PUBLIC_ENDPOINT =
  /^https:\/\/(?=[^/:]{4,253}[/:])([a-z\d]([a-z\d-]{0,61}[a-z\d])?\.)+[a-z]([a-z\d-]{0,61}[a-z\d])?(:443)?\/[!-~]*$/i
const LOOPBACK_ENDPOINT = /^http:\/\/(127\.0\.0\.1|localhost)(:\d{1,5})?\/[!-~]*$/

/**
 * Whether messages may be sent to an address that a browser names: nobody may have the server call its own network. The addresses that the
 * name resolves to are checked when something is sent.
 * @param allowed.loopback http on this machine too, while parts of the outside world are the sandbox's
 */
export function isPushEndpoint(endpoint: string, allowed: { loopback: boolean }): boolean {
  if (endpoint.length > PUSH_ENDPOINT_MAX_LENGTH) return false
  return PUBLIC_ENDPOINT.test(endpoint) || (allowed.loopback && LOOPBACK_ENDPOINT.test(endpoint))
}

const base64url = (length: number) =>
  limited(z.string().check(z.regex(new RegExp(`^[A-Za-z0-9_-]{${length}}$`))), {
    minLength: length,
    maxLength: length,
    pattern: '^[A-Za-z0-9_-]+$',
  })

/** A browser's subscription as the browser writes it (W3C Push API), and the key that it was made for. */
export const pushSubscription = z.object({
  endpoint: limited(z.string(), { minLength: 1, maxLength: PUSH_ENDPOINT_MAX_LENGTH }),
  keys: z.object({
    /** Public key of P-256: 65 bytes, base64url. */
    p256dh: base64url(87),
    /** 16 bytes, base64url. */
    auth: base64url(22),
  }),
  /** `publicKey` of `GET /v1/push`. */
  publicKey: base64url(87),
})
export type PushSubscriptionPayload = z.infer<typeof pushSubscription>

/** A browser in which the signed-in person has turned notifications on. */
const pushDevice = z.object({
  id: z.string(),
  /** It belongs to the session that asks. */
  current: z.boolean(),
  /** In plain words, such as `Chrome on Windows`. */
  device: sessionPlace.shape.device,
  /** ISO 8601 in UTC. */
  since: z.string(),
  /** Its push service has taken nothing since then, ISO 8601 in UTC; null while it does. */
  failingSince: z.nullable(z.string()),
})
export type PushDevice = z.infer<typeof pushDevice>

const pushTrader = z.object({
  /** Of the subscription. */
  id: z.string(),
  username: z.string(),
  /** Whether the trader's positions are pushed; mails have a switch of their own. */
  pushEnabled: z.boolean(),
})
export type PushTrader = z.infer<typeof pushTrader>

export const pushAnswer = z.object({
  /** For which browsers make a subscription (RFC 8292), base64url. */
  publicKey: z.string(),
  devices: z.array(pushDevice),
  /** The traders who are followed now. */
  traders: z.array(pushTrader),
})
export type PushAnswer = z.infer<typeof pushAnswer>

/** `token` turns this device off without a sign-in, or gives it the new address that its browser has got, and nothing else. */
export const pushDeviceAnswer = z.object({ id: z.string(), token: z.string() })
export const pushDeviceParams = z.object({
  id: limited(z.uuid(), { minLength: UUID_LENGTH, maxLength: UUID_LENGTH }),
})
export const pushRemovalAnswer = z.object({ ok: z.literal(true) })
export const pushSwitchPayload = z.object({ enabled: z.boolean() })
export const pushSwitchAnswer = z.object({ pushEnabled: z.boolean() })

/** The service worker's payloads: the token of its device, and for a renewal its new subscription. */
const pushToken = z.string().check(z.regex(/^[A-Za-z0-9_-]{43}$/))
export const pushOff = z.object({ token: pushToken })
export const pushRenewal = z.object({ token: pushToken, subscription: pushSubscription })
