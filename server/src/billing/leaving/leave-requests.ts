import type { Leaving } from '@tradepost/contract/leaving'
import type { SecretKey } from '../../auth/keys/secret-key.ts'
import { takePlace } from '../../auth/sign-in/limit-mails.ts'
import { SENDS_AN_HOUR } from '../../auth/users/addresses.queries.ts'
import type { FindLeaveUrls, Prepare } from '../../mail/outbox/prepare-mails.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { newId } from '../../platform/ids.ts'
import { countUse } from '../../platform/rate-limit.ts'
import type { Settings } from '../../platform/settings.ts'
import { isLive } from '../../stripe/subscriptions.ts'
import { leaveUrl, leavingUrl, readLeaveToken, readLeavingToken } from './leave-link.ts'
import {
  findByUnsubscribeToken,
  findRequest,
  findTokensOfFollowers,
  hasClosed,
  insertRequest,
  listRequests,
  markUsed,
} from './leave-requests.queries.ts'
import { findLeaver, findLiving, type Leaver } from './leaving.queries.ts'
import { readLeaving } from './withdraw.ts'

type Deps = { db: Queryable; secret: SecretKey; settings: Settings }

const HOUR_MS = 3_600_000
/** Between two mails about one subscription. */
const SPACING_MS = 10 * 60_000
/** The mailed link works for so long. */
const LINK_MS = HOUR_MS

/** A link in a footer: live with the subscription that it is about, or why it does nothing. */
export type LeaveLink =
  | { kind: 'live'; leaver: Leaver }
  | { kind: 'unknown' | 'expired' | 'ended' | 'closed' }

/** A mailed link: live with what can be done and what comes of it, or why it does nothing. */
export type LeavingLink =
  | { kind: 'live'; requestId: string; leaver: Leaver; leaving: Leaving }
  | { kind: 'unknown' | 'late' | 'used' | 'moved' | 'ended' | 'newer' | 'closed' }

/**
 * Looks what a footer's link can do; changes nothing, since mail scanners open every link. In a mail about a subscription that has ended it
 * leads out of the one that the subscriber has with the trader by now.
 */
export async function lookUpLeave({ db, secret }: Deps, token: string, now: Date): Promise<LeaveLink> {
  const read = readLeaveToken(secret, token, now)
  if (read === 'expired') return { kind: 'expired' }
  const key = read && (await findByUnsubscribeToken(db, read.unsubscribeToken))
  const named = key && (await findLeaver(db, key))
  if (!named) return { kind: 'unknown' }
  const leaver = isOpen(named) ? named : ((await findLiving(db, named)) ?? named)
  const over = await whyOver(db, leaver)
  return over === null ? { kind: 'live', leaver } : { kind: over }
}

/**
 * Mails the way out to the subscriber's own address, whoever has pressed: mails are forwarded, and a forward ends nothing (rule G-126).
 * @returns null; from when on another one can go, where one has gone in the last ten minutes, or five in the last hour for all subscriptions of
 * the person
 * @throws rate_limited when no mails have a place (AUTH_MAIL_LIMIT)
 */
export function mailWayOut(
  { db, settings }: Pick<Deps, 'db' | 'settings'>,
  leaver: Leaver,
  now: Date,
): Promise<Date | null> {
  return withTransaction(db, async (tx) => {
    // Of two presses at once the second waits here.
    await countUse(tx, { key: `leave:${leaver.subscriberId}`, windowSeconds: 86_400 }, now)
    const sends = await listRequests(tx, leaver.subscriberId, new Date(now.getTime() - HOUR_MS))
    const again = nextSend(sends, leaver)
    if (again > now) return again
    const seconds = await takePlace(tx, { asker: 'anybody', settings }, now)
    if (seconds !== null) throw refusal('rate_limited', { retryAfterSeconds: seconds })
    const request = { id: newId(), traderId: leaver.traderId, subscriptionId: leaver.id }
    const expiresAt = new Date(now.getTime() + LINK_MS)
    await insertRequest(tx, { ...request, subscriberId: leaver.subscriberId, expiresAt }, now)
    const facts = { trader: leaver.username, requestId: request.id }
    await queueMail(tx, { kind: 'way_out', userId: leaver.subscriberId, cause: request.id, facts }, now)
    return null
  })
}

/** When another one may go, by those of the last hour, the oldest first. */
function nextSend(sends: { subscriptionId: string; createdAt: Date }[], { id }: Leaver): Date {
  const last = sends.findLast(({ subscriptionId }) => subscriptionId === id)
  const first = sends.at(-SENDS_AN_HOUR)
  return new Date(
    Math.max(
      (last?.createdAt.getTime() ?? 0) + SPACING_MS,
      (first?.createdAt.getTime() ?? -HOUR_MS) + HOUR_MS,
    ),
  )
}

/** Makes the link when the mail is sent; nothing of it is stored. */
export function prepareWaysOut(deps: { origin: string; secret: SecretKey }): Prepare<'way_out'> {
  return async (mails) =>
    mails.map(({ facts: { requestId } }) => ({ drawn: { url: leavingUrl(deps, requestId) } }))
}

/** Makes the links in the footers of mails about a trader whom their reader follows. */
export function leaveUrlsOf(deps: { db: Queryable; origin: string; secret: SecretKey }): FindLeaveUrls {
  return async (of, now) => {
    const tokens = await findTokensOfFollowers(deps.db, of)
    return of.map((_one, index) => {
      const token = tokens.get(index + 1)
      return token === undefined ? null : leaveUrl(deps, token, now)
    })
  }
}

/** Looks what a mailed link can do; changes nothing. */
export async function lookUpLeaving({ db, secret }: Deps, token: string, now: Date): Promise<LeavingLink> {
  const id = readLeavingToken(secret, token)
  const request = id === null ? null : await findRequest(db, id)
  if (!request) return { kind: 'unknown' }
  if (request.usedAt !== null) return { kind: 'used' }
  if (request.expiresAt <= now) return { kind: 'late' }
  if (request.moved) return { kind: 'moved' }
  const leaver = await findLeaver(db, { traderId: request.traderId, id: request.subscriptionId })
  if (!leaver) return { kind: 'unknown' }
  const over = await whyOver(db, leaver)
  if (over === 'ended' && (await findLiving(db, leaver))) return { kind: 'newer' }
  if (over !== null) return { kind: over }
  return { kind: 'live', requestId: request.id, leaver, leaving: await readLeaving(db, leaver, now) }
}

/** The link has done its one thing. Call it once that is done: what was cut off is done by a second press. */
export function useUpLink({ db }: Pick<Deps, 'db'>, requestId: string, now: Date): Promise<void> {
  return markUsed(db, requestId, now)
}

async function whyOver(db: Queryable, leaver: Leaver): Promise<'ended' | 'closed' | null> {
  if (await hasClosed(db, leaver.subscriberId)) return 'closed'
  return isOpen(leaver) ? null : 'ended'
}

function isOpen(leaver: Leaver): boolean {
  return isLive(leaver) && leaver.stripeId !== null
}
