import { unauthorized } from '../refusals/errors.ts'

/**
 * Reads the API key of a request: `Bearer sk_test_…`, or the key as the user name of Basic authentication.
 * Any test key is right; a live key never is, so that nobody sends real business here by mistake.
 * @throws ApiError 401 in Stripe's words
 */
export function readKey(header: string | undefined): string {
  const key = keyIn(header)
  if (key === null)
    throw unauthorized(
      "You did not provide an API key. You need to provide your API key in the Authorization header, using Bearer auth (e.g. 'Authorization: Bearer YOUR_SECRET_KEY'). See https://stripe.com/docs/api#authentication for details.",
    )
  if (isLiveKey(key))
    throw unauthorized('This is a payments sandbox: it takes test keys only. Never send it a live key.')
  if (!/^(sk|rk)_test_\w+$/.test(key)) throw unauthorized(`Invalid API Key provided: ${masked(key)}`)
  return key
}

/** Whether a text is a key of Stripe's live mode. */
export function isLiveKey(text: string): boolean {
  return /^(sk|rk)_live_/.test(text)
}

function keyIn(header: string | undefined): string | null {
  const [scheme, value] = header?.split(' ') ?? []
  if (scheme === undefined || value === undefined || value === '') return null
  if (scheme.toLowerCase() === 'bearer') return value
  if (scheme.toLowerCase() !== 'basic') return null
  return Buffer.from(value, 'base64').toString().split(':')[0] || null
}

function masked(key: string): string {
  return `${key.slice(0, 8)}${'*'.repeat(8)}`
}
