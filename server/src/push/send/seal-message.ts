import { createHash } from 'node:crypto'
import type { PushMessage } from '@tradepost/contract/push-worker'
import webPush from 'web-push'
import type { PushKey } from '../devices/push-keys.ts'
import type { SealedMessage } from './post-message.ts'

/** Every text is padded to the longest, so that its length reveals nothing to a push service (RFC 8030 section 8.1). */
const TEXT_LENGTH = 384
const TOPIC_LENGTH = 32
/** How long one signature identifies us to a push service; the library signs for twelve hours. */
const SIGNED_AGAIN_MS = 3_600_000
const SIGNED_MAX_COUNT = 1000

/** Of a device. */
type Recipient = { endpoint: string; p256dh: Buffer; authSecret: Buffer }

export type MessageSealer = {
  /**
   * Encrypts a message for a device (RFC 8291, aes128gcm) and signs its request (RFC 8292).
   * @param terms.ttlSeconds how long the push service keeps it for a device that is away
   * @throws when the keys of the device are none
   */
  seal(
    message: PushMessage,
    recipient: Recipient,
    terms: { key: PushKey; topic: string; ttlSeconds: number },
  ): SealedMessage
}

/** @param contact `mailto:` or `https:`, whom a push service can ask about our messages */
export function makeSealer(contact: string): MessageSealer {
  const signed = new Map<string, { authorization: string; at: number }>()
  const authorize = (origin: string, key: PushKey): string => {
    const name = `${key.id} ${origin}`
    const known = signed.get(name)
    // A push service compares the end of a signature with the time of day, and so does the library, whatever our clock is set to.
    const at = Date.now()
    if (known && Math.abs(at - known.at) < SIGNED_AGAIN_MS) return known.authorization
    if (signed.size >= SIGNED_MAX_COUNT) signed.clear()
    const { Authorization } = webPush.getVapidHeaders(
      origin,
      contact,
      key.publicKey,
      key.privateKey,
      'aes128gcm',
    )
    signed.set(name, { authorization: Authorization, at })
    return Authorization
  }
  return {
    seal(message, { authSecret, endpoint, p256dh }, { key, topic, ttlSeconds }) {
      const keys = { p256dh: p256dh.toString('base64url'), auth: authSecret.toString('base64url') }
      const text = JSON.stringify(message).padEnd(TEXT_LENGTH)
      const details = webPush.generateRequestDetails({ endpoint, keys }, text, {
        TTL: ttlSeconds,
        topic,
        contentEncoding: 'aes128gcm',
        // A phone that sleeps is woken: who follows a trader wants to act.
        urgency: 'high',
        headers: { Authorization: authorize(new URL(endpoint).origin, key) },
      })
      return { endpoint, headers: details.headers as Record<string, string>, body: details.body as Buffer }
    },
  }
}

/**
 * Names an event: a later message of the same name takes the place of an earlier one, at the push service (RFC 8030 section 5.4)
 * and on the device.
 */
export function topicOf(event: { traderId: string; eventNo: number }): string {
  const digest = createHash('sha256').update(`${event.traderId} ${event.eventNo}`).digest('base64url')
  return digest.slice(0, TOPIC_LENGTH)
}
