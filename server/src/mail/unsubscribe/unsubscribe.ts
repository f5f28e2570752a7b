import { switchPositionMails } from '../../accounts/switch-position-mails.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { findByRenewalToken, findByToken, stopRenewalMails, switchMails } from './unsubscribe.queries.ts'
import type { UnsubscribeWay } from './unsubscribe-url.ts'

/** 128 random bits as base64url have 22 characters; anything much longer was made up. */
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{16,64}$/

/** The mails that a link stops: those about a trader, by name if they have one, or those before renewals. `allOff`: no trader's are sent. */
export type Stopped = { about: 'trader'; trader: string | null; allOff: boolean } | { about: 'renewals' }
export type OfTrader = Extract<Stopped, { about: 'trader' }>

/** Finds which mails a link would stop; changes nothing, since mail scanners open every link. Null for an unknown token. */
export async function lookUpUnsubscribe(deps: { db: Queryable }, token: string): Promise<Stopped | null> {
  const found = await findLink(deps, token)
  return found && toStopped(found)
}

/**
 * Stops a trader's mails to one subscriber, or somebody's mails before renewals (rules G-63 and G-110, RFC 8058); subscriptions go on. Safe to
 * repeat.
 * @returns null for an unknown token
 */
export async function unsubscribe(
  deps: { db: Queryable },
  token: string,
  now: Date,
): Promise<Stopped | null> {
  const found = await findLink(deps, token)
  if (!found) return null
  if ('userId' in found) await stopRenewalMails(deps.db, found.userId, now)
  else await switchMails(deps.db, found, false, now)
  return toStopped(found)
}

/**
 * Stops the mails about all traders, or takes back what a link has stopped (rule G-120). Safe to repeat.
 * @returns how it stands then; null for an unknown token, and for one of mails before renewals
 */
export async function takeWay(
  deps: { db: Queryable },
  token: string,
  way: UnsubscribeWay,
  now: Date,
): Promise<OfTrader | null> {
  const found = await findLink(deps, token)
  if (!found || 'userId' in found) return null
  if (way === 'undo') await switchMails(deps.db, found, true, now)
  else await switchPositionMails(deps.db, { userId: found.subscriberId }, way === 'undo-all', now)
  return { about: 'trader', trader: found.trader, allOff: way === 'undo' ? found.allOff : way === 'all' }
}

type Link = NonNullable<Awaited<ReturnType<typeof findByToken | typeof findByRenewalToken>>>

async function findLink({ db }: { db: Queryable }, token: string): Promise<Link | null> {
  if (!TOKEN_SHAPE.test(token)) return null
  return (await findByToken(db, token)) ?? (await findByRenewalToken(db, token))
}

function toStopped(found: Link): Stopped {
  return 'userId' in found
    ? { about: 'renewals' }
    : { about: 'trader', trader: found.trader, allOff: found.allOff }
}
