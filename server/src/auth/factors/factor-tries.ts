import { FACTOR_TRIES_COUNT, FACTOR_TRIES_MINUTES } from '@tradepost/contract/limits'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Client } from '../../platform/http/client.ts'
import { describePlace } from '../audit/describe-place.ts'
import { addWrongTry, type FactorRow, type FactorTry, wrongTriesOf } from '../users/factors.queries.ts'
import { markNotifiedOfTries } from '../users/users.queries.ts'

/*
 * Wrong tries of a second factor: ten in a quarter of an hour for each of four counts (ADR 0083). Devices that have passed the factor
 * before are counted apart from everybody else, and codes of the authenticator apart from recovery codes.
 */

/** @param factor locked @returns seconds until a try like this one is looked at again, or null when it is now */
export function secondsUntilTry(factor: FactorRow, of: FactorTry, now: Date): number | null {
  const since = forgottenUntil(now).getTime()
  const living = livingTries(factor, of, now)
  const oldest = living.at(-FACTOR_TRIES_COUNT)
  return oldest ? Math.ceil((oldest.getTime() - since) / 1000) : null
}

/**
 * Counts a wrong try, and notifies the owner by mail of the last one that a count allows: once in a quarter of an hour, whichever counts
 * are used up. A factor that is being set up guards nothing yet, so nobody is notified of its tries.
 * @param factor locked, as it was before the try
 */
export async function countWrongTry(
  tx: Queryable,
  factor: FactorRow,
  tried: FactorTry & { client: Client },
  now: Date,
): Promise<void> {
  const since = forgottenUntil(now)
  await addWrongTry(tx, { ...tried, id: factor.id, since }, now)
  const isLast = livingTries(factor, tried, now).length + 1 >= FACTOR_TRIES_COUNT
  if (!isLast || factor.status !== 'verified') return
  const userId = factor.user_id
  if (!(await markNotifiedOfTries(tx, { userId, since }, now))) return
  const facts = { at: now.toISOString(), from: describePlace(tried.client) }
  await queueMail(tx, { kind: 'second_factor_tried', userId, facts }, now)
}

function livingTries(factor: FactorRow, of: FactorTry, now: Date): Date[] {
  const since = forgottenUntil(now)
  return wrongTriesOf(factor, of).filter((at) => at > since)
}

function forgottenUntil(now: Date): Date {
  return new Date(now.getTime() - FACTOR_TRIES_MINUTES * 60_000)
}
