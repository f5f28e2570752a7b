import { createHmac } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { overLimit } from '../../platform/rate-limit.ts'
import { firstGroupsOf } from '../audit/describe-place.ts'
import type { AuthDeps } from '../keys/auth-deps.ts'
import { AuthFault } from '../keys/auth-fault.ts'

/**
 * Uses of a network in a window. A client with one IPv6 address has the 2^64 of its /64, and an ordinary customer of a
 * provider has a /56 or a /48 of those, so wider networks are counted too.
 */
const USES_PER_IPV4 = 30
const USES_PER_IPV6_PREFIX = { 64: 30, 56: 60, 48: 120 } as const
const USES_PER_SESSION = 30
/** A client refreshes once an hour; every tab of a browser may, and tries again where an answer is lost. */
const REFRESHES_PER_SESSION = 60
const WINDOW_SECONDS = 300

/**
 * Counts a call of one kind against the networks it comes from, the narrowest first; known and unknown addresses alike. A call
 * that a network is refused is not counted against the wider ones, so one network cannot use up the calls of its neighbours.
 * @throws `too_many_tries` with the seconds to wait
 */
export async function limitByIp(
  deps: AuthDeps,
  kind: 'otp' | 'returned' | 'verify' | 'link' | 'exchange' | 'factor',
  ip: string,
  now: Date,
): Promise<void> {
  if (!deps.settings.limitsOn) return
  for (const { network, max } of networksOf(ip)) {
    const hashed = createHmac('sha256', deps.secret.derive('limits')).update(network).digest('base64url')
    const limit = { key: `auth:${kind}:${hashed}`, max, windowSeconds: WINDOW_SECONDS }
    const waitSeconds = await overLimit(deps.db, limit, now)
    if (waitSeconds !== null) throw new AuthFault('too_many_tries', waitSeconds)
  }
}

/**
 * Counts a call of one kind against the session that makes it, wherever it comes from: the session of a stranger who reads the mailbox
 * uses up no calls of the owner (ADR 0083).
 * @throws `too_many_tries` with the seconds to wait
 */
export async function limitBySession(
  deps: AuthDeps,
  kind: 'user' | 'factor',
  sessionId: string,
  now: Date,
): Promise<void> {
  if (!deps.settings.limitsOn) return
  const limit = { key: `auth:${kind}:${sessionId}`, max: USES_PER_SESSION, windowSeconds: WINDOW_SECONDS }
  const waitSeconds = await overLimit(deps.db, limit, now)
  if (waitSeconds !== null) throw new AuthFault('too_many_tries', waitSeconds)
}

/**
 * Counts a refresh of a session, by a token of ours.
 * @throws `refreshes_too_often` with the seconds to wait
 */
export async function limitRefreshes(deps: AuthDeps, sessionId: string, now: Date): Promise<void> {
  if (!deps.settings.limitsOn) return
  const limit = {
    key: `auth:refresh:${sessionId}`,
    max: REFRESHES_PER_SESSION,
    windowSeconds: WINDOW_SECONDS,
  }
  const waitSeconds = await overLimit(deps.db, limit, now)
  if (waitSeconds !== null) throw new AuthFault('refreshes_too_often', waitSeconds)
}

/** The networks that an address lies in and what each may ask in a window, the narrowest first. */
export function networksOf(ip: string): { network: string; max: number }[] {
  if (!isIPv6(ip)) return [{ network: ip, max: USES_PER_IPV4 }]
  if (ip.toLowerCase().startsWith('::ffff:') && ip.includes('.')) {
    return [{ network: ip.slice('::ffff:'.length), max: USES_PER_IPV4 }]
  }
  const bits = firstGroupsOf(ip)
    .map((group) => group.toString(16).padStart(4, '0'))
    .join('')
  return ([64, 56, 48] as const).map((length) => ({
    network: `${bits.slice(0, length / 4)}/${length}`,
    max: USES_PER_IPV6_PREFIX[length],
  }))
}
