import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { refusal } from '../platform/http/refusal.ts'
import { switchPush } from './devices.queries.ts'

const uuid = z.uuid()

/**
 * Turns what is pushed about a trader's positions on or off, on all devices of the caller; mails have a switch of their own.
 * @returns whether it is on
 * @throws `subscription_not_found`
 */
export async function switchSubscriptionPush(
  db: Queryable,
  caller: { userId: string },
  id: string,
  enabled: boolean,
  now: Date,
): Promise<boolean> {
  const known =
    uuid.safeParse(id).success && (await switchPush(db, { subscriberId: caller.userId, id, enabled }, now))
  if (!known) throw refusal('subscription_not_found')
  return enabled
}
