import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { overLimit } from '../platform/rate-limit.ts'
import type { AuthDeps } from './auth-deps.ts'
import { wireError } from './wire-error.ts'

const USES_PER_IP = 30
const USES_PER_ACCOUNT = 30
const WINDOW_SECONDS = 300

/**
 * Counts a call of one kind against the network it comes from; known and unknown addresses alike.
 * @throws `over_request_rate_limit` with the seconds to wait
 */
export async function limitByIp(
  deps: AuthDeps,
  kind: 'otp' | 'verify' | 'link' | 'exchange' | 'factor',
  ip: string,
  now: Date,
): Promise<void> {
  if (!deps.settings.limitsOn) return
  const hashed = createHmac('sha256', deps.secret.derive('limits')).update(networkOf(ip)).digest('base64url')
  const limit = { key: `auth:${kind}:${hashed}`, max: USES_PER_IP, windowSeconds: WINDOW_SECONDS }
  const retryAfterSeconds = await overLimit(deps.db, limit, now)
  if (retryAfterSeconds !== null) throw wireError('over_request_rate_limit', { retryAfterSeconds })
}

/**
 * Counts a call of one kind against an account, wherever it comes from.
 * @throws `over_request_rate_limit` with the seconds to wait
 */
export async function limitByAccount(
  deps: AuthDeps,
  kind: 'user' | 'factor',
  userId: string,
  now: Date,
): Promise<void> {
  if (!deps.settings.limitsOn) return
  const limit = { key: `auth:${kind}:${userId}`, max: USES_PER_ACCOUNT, windowSeconds: WINDOW_SECONDS }
  const retryAfterSeconds = await overLimit(deps.db, limit, now)
  if (retryAfterSeconds !== null) throw wireError('over_request_rate_limit', { retryAfterSeconds })
}

/** Whoever has one IPv6 address has 2^64 of them: those of a /64 count as one. */
export function networkOf(ip: string): string {
  if (!isIPv6(ip)) return ip
  if (ip.toLowerCase().startsWith('::ffff:') && ip.includes('.')) return ip.slice('::ffff:'.length)
  const [head = '', tail] = (ip.split('%')[0] ?? '').split('::')
  const front = head ? head.split(':') : []
  const back = tail ? tail.split(':') : []
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length)
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')
}
