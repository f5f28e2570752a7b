import Stripe from 'stripe'

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

/**
 * Reads a webhook that was signed with one of our secrets within the last five minutes.
 * @param secrets several while a new one replaces an old one
 * @param now by the product's clock, UTC
 * @returns what `read` returns; null for every other webhook, whatever is wrong with it
 */
export function verifyWebhook<Read>(
  webhook: { payload: Buffer; header: string | string[] | undefined },
  secrets: readonly string[],
  read: Reader<Read>,
  now: Date,
): Read | null {
  const { header, payload } = webhook
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
