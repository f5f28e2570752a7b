import type { BillingInterval } from '@tradepost/contract/billing-interval'
import { sql } from 'kysely'
import type { Queryable } from '../platform/database/queryable.ts'
import { newSecret } from '../platform/ids.ts'

/** 128 random bits: nobody guesses their way into another's link. */
const TOKEN_BYTES = 16

/** Whether somebody is mailed before a renewal; until they stop it they are. */
export async function isRenewalMailOn(db: Queryable, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('renewal_mails')
    .select('stopped_at')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row === undefined || row.stopped_at === null
}

/** Turns somebody's mails before renewals on, or off; the first time that they were turned off counts. */
export async function switchRenewalMail(
  db: Queryable,
  userId: string,
  enabled: boolean,
  now: Date,
): Promise<void> {
  const stoppedAt = enabled ? null : now
  await db
    .insertInto('renewal_mails')
    .values({ user_id: userId, unsubscribe_token: newSecret(TOKEN_BYTES), stopped_at: stoppedAt })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        stopped_at: enabled ? null : sql<Date>`coalesce(renewal_mails.stopped_at, excluded.stopped_at)`,
      }),
    )
    .execute()
}

/** The token of somebody's link that stops these mails; the first one stays. */
export async function giveToken(db: Queryable, userId: string): Promise<string> {
  const { token } = await db
    .insertInto('renewal_mails')
    .values({ user_id: userId, unsubscribe_token: newSecret(TOKEN_BYTES) })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet((eb) => ({ unsubscribe_token: eb.ref('renewal_mails.unsubscribe_token') })),
    )
    .returning('unsubscribe_token as token')
    .executeTakeFirstOrThrow()
  return token
}

/** A part of a statement: subscriptions that are charged again on a day in UTC, named as `2026-11-29`. */
const renewsOn = (
  day: string,
) => sql<boolean>`entitled_from_event is not null and entitled_until_event is null and cancel_at is null
  and paused_since is null and status in ('active', 'trialing')
  and current_period_end >= ${day}::date::timestamp at time zone 'UTC'
  and current_period_end < (${day}::date + 1)::timestamp at time zone 'UTC'`

/** A page of the people who have a renewal on a day and have not stopped the mail before it, in order of their ids. */
export async function listRenewingPeople(
  db: Queryable,
  { after, day, limit }: { day: string; after: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select distinct subscriber_id as id from subscriptions
    where ${renewsOn(day)} and subscriber_id > ${after}
      and not exists (
        select from renewal_mails where user_id = subscriptions.subscriber_id and stopped_at is not null)
    order by subscriber_id limit ${limit}`.execute(db)
  return rows.map(({ id }) => id)
}

export type Renewal = {
  trader: string
  amountCents: number
  currency: string
  interval: BillingInterval
  unsubscribeToken: string
}

/** Somebody's renewals on a day, by the trader's name. */
export async function listRenewals(db: Queryable, subscriberId: string, day: string): Promise<Renewal[]> {
  const { rows } = await sql<Renewal>`
    select account.username as trader, coalesce(followed.renewal_cents, followed.price_cents) as "amountCents", followed.currency,
      followed.billing_interval as interval, followed.unsubscribe_token as "unsubscribeToken"
    from subscriptions followed join accounts account on account.user_id = followed.trader_id
    where followed.subscriber_id = ${subscriberId} and account.username is not null and ${renewsOn(day)}`.execute(
    db,
  )
  return rows
}
