import type { Queryable } from '../../platform/database/queryable.ts'
import { findByToken, muteMails, type Unsubscribing } from './unsubscribe.queries.ts'

/** 128 random bits as base64url have 22 characters; anything much longer was made up. */
const TOKEN_SHAPE = /^[A-Za-z0-9_-]{16,64}$/

/** Finds the trader whose mails a link would stop; changes nothing, since mail scanners open every link. Null for an unknown token. */
export async function lookUpUnsubscribe(
  deps: { db: Queryable },
  token: string,
): Promise<Unsubscribing | null> {
  return TOKEN_SHAPE.test(token) ? findByToken(deps.db, token) : null
}

/**
 * Stops a trader's mails to one subscriber (rule G-63, RFC 8058); the subscription goes on. Safe to repeat.
 * @returns null for an unknown token
 */
export async function unsubscribe(
  deps: { db: Queryable },
  token: string,
  now: Date,
): Promise<Unsubscribing | null> {
  const subscription = await lookUpUnsubscribe(deps, token)
  if (subscription) await muteMails(deps.db, subscription, now)
  return subscription
}
