import { createHmac } from 'node:crypto'

/**
 * The `Stripe-Signature` header (docs.stripe.com/webhooks/signature): HMAC-SHA-256 over the time and the body.
 * @param at the instant of sending
 */
export function signatureHeader(body: string, secret: string, at: Date): string {
  const time = Math.floor(at.getTime() / 1000)
  const mark = createHmac('sha256', secret).update(`${time}.${body}`).digest('hex')
  return `t=${time},v1=${mark}`
}
