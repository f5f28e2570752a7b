import Stripe from 'stripe'

/** An older one may be a replay, a newer one a forgery by somebody's clock (docs.stripe.com/webhooks/signature). */
const TOLERANCE_SECONDS = 300

/** The SDK's reader of a payload: it checks the signature over the bytes as they came, then reads them. */
type Reader<Read> = (
  payload: Buffer,
  header: string,
  secret: string,
  toleranceSeconds: number,
  cryptoProvider: undefined,
  receivedAtMs: number,
) => Read

/**
 * Reads a webhook if one of our secrets signed it, lately. Several hold while one replaces another.
 * @param now by the product's clock
 * @returns null for everything else, without telling what is wrong with it
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

/** The SDK refuses what is too old and takes what comes from the future; here both are refused. */
function isTimely(header: string, now: Date): boolean {
  const stamps = header.split(',').filter((part) => part.startsWith('t='))
  const age = now.getTime() / 1000 - Number(stamps[0]?.slice(2) || Number.NaN)
  return stamps.length === 1 && Math.abs(age) <= TOLERANCE_SECONDS
}
