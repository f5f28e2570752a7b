import { sql } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'

export type LeaveRequest = {
  id: string
  traderId: string
  subscriptionId: string
  subscriberId: string
  createdAt: Date
  expiresAt: Date
  usedAt: Date | null
  /** The account's address has been another one since, if only for a while. */
  moved: boolean
}

/** The subscription that an unsubscribe token names; null for a token that nobody was given. */
export async function findByUnsubscribeToken(
  db: Queryable,
  token: string,
): Promise<{ traderId: string; id: string } | null> {
  const row = await db
    .selectFrom('unsubscribe_tokens')
    .select(['trader_id as traderId', 'subscription_id as id'])
    .where('token', '=', token)
    .executeTakeFirst()
  return row ?? null
}

/** The unsubscribe tokens of live subscriptions that were bought, by the place of each in `of`, from 1. @property trader by name */
export async function findTokensOfFollowers(
  db: Queryable,
  of: { userId: string; trader: string }[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ nth: number; token: string }>`
    select wanted.nth::int, subscription.unsubscribe_token as token
    from unnest(${of.map(({ userId }) => userId)}::uuid[], ${of.map(({ trader }) => trader)}::text[])
      with ordinality as wanted (user_id, trader, nth)
    join accounts account on account.username = wanted.trader
    join subscriptions subscription
      on subscription.trader_id = account.user_id and subscription.subscriber_id = wanted.user_id
    where subscription.status <> 'canceled' and subscription.stripe_subscription_id is not null`.execute(db)
  return new Map(rows.map(({ nth, token }) => [nth, token]))
}

/** When links were asked for by a subscriber since an instant, the oldest first. */
export function listRequests(
  db: Queryable,
  subscriberId: string,
  since: Date,
): Promise<{ subscriptionId: string; createdAt: Date }[]> {
  return db
    .selectFrom('leave_requests')
    .select(['subscription_id as subscriptionId', 'created_at as createdAt'])
    .where('subscriber_id', '=', subscriberId)
    .where('created_at', '>', since)
    .orderBy('created_at')
    .execute()
}

export async function insertRequest(
  tx: Queryable,
  request: Pick<LeaveRequest, 'id' | 'traderId' | 'subscriptionId' | 'subscriberId' | 'expiresAt'>,
  now: Date,
): Promise<void> {
  await tx
    .insertInto('leave_requests')
    .values({
      id: request.id,
      trader_id: request.traderId,
      subscription_id: request.subscriptionId,
      subscriber_id: request.subscriberId,
      created_at: now,
      expires_at: request.expiresAt,
    })
    .execute()
}

/** @returns null for one that was never made, or is forgotten */
export async function findRequest(db: Queryable, id: string): Promise<LeaveRequest | null> {
  const row = await db
    .selectFrom('leave_requests as request')
    .select([
      'request.id',
      'request.trader_id as traderId',
      'request.subscription_id as subscriptionId',
      'request.subscriber_id as subscriberId',
      'request.created_at as createdAt',
      'request.expires_at as expiresAt',
      'request.used_at as usedAt',
    ])
    .select(({ exists, selectFrom }) =>
      exists(
        selectFrom('email_undos as change')
          .select('change.id')
          .whereRef('change.user_id', '=', 'request.subscriber_id')
          .where((eb) =>
            eb.or([
              eb('change.created_at', '>', eb.ref('request.created_at')),
              eb('change.used_at', '>', eb.ref('request.created_at')),
            ]),
          ),
      )
        .$castTo<boolean>()
        .as('moved'),
    )
    .where('request.id', '=', id)
    .executeTakeFirst()
  return row ?? null
}

/** The first use counts. */
export async function markUsed(db: Queryable, id: string, now: Date): Promise<void> {
  await db
    .updateTable('leave_requests')
    .set({ used_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .execute()
}

/** Whether somebody has closed their account, or is gone. */
export async function hasClosed(db: Queryable, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('users')
    .select('closed_at as closedAt')
    .where('id', '=', userId)
    .executeTakeFirst()
  return row === undefined || row.closedAt !== null
}

/** Forgets links that have been over for so long that nobody presses them. @param before those that ended earlier go */
export async function purgeLeaveRequests(db: Queryable, before: Date): Promise<void> {
  await db.deleteFrom('leave_requests').where('expires_at', '<', before).execute()
}
