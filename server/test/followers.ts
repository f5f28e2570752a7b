import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { publishEvent, withPublishing } from '../src/events/publish-event.ts'
import { planDeliveries } from '../src/mail/plan/plan-deliveries.ts'
import type { Queryable } from '../src/platform/database/queryable.ts'
import { newId } from '../src/platform/ids.ts'
import { insertPosition } from '../src/positions/record/positions.queries.ts'

/** Rows of one statement, which has to end within the pool's time-out. */
const AT_ONCE = 10_000

/** Crowds straight into the tables, by the thousand; for single people the factories go through the rules. */
export type Crowd = { traderId: string; username: string }

/** A trader with a username and nothing else. */
export async function makeCrowdTrader(pool: pg.Pool, username: string, now: Date): Promise<Crowd> {
  const traderId = newId()
  await pool.query('insert into users (id, email, created_at, updated_at) values ($1, $2, $3, $3)', [
    traderId,
    `${username.toLowerCase()}@traders.example`,
    now,
  ])
  await pool.query(
    'insert into accounts (user_id, username, username_set_at, created_at) values ($1, $2, $3, $3)',
    [traderId, username, now],
  )
  await pool.query('insert into traders (trader_id, created_at) values ($1, $2)', [traderId, now])
  return { traderId, username }
}

/**
 * Followers `0@… count-1@` of the crowd's domain, entitled from now on.
 * @returns their addresses
 */
export async function addFollowers(pool: pg.Pool, crowd: Crowd, count: number, now: Date): Promise<string[]> {
  const addresses = Array.from(
    { length: count },
    (_, index) => `${index}@${crowd.username.toLowerCase()}.example`,
  )
  for (let start = 0; start < count; start += AT_ONCE) {
    await insertFollowers(pool, crowd, addresses.slice(start, start + AT_ONCE), now)
  }
  return addresses
}

async function insertFollowers(pool: pg.Pool, crowd: Crowd, addresses: string[], now: Date): Promise<void> {
  const people = addresses.map((address) => ({
    user: newId(),
    subscription: newId(),
    token: randomBytes(16).toString('base64url'),
    address,
  }))
  await pool.query(
    `with people as (
      select * from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[]) with ordinality
        as people (user_id, subscription_id, token, address, place)
    ), made as (
      insert into users (id, email, created_at, updated_at) select user_id, address, $6, $6 from people
    ), head as (
      update traders set last_mail_no = last_mail_no + $7 where trader_id = $1
      returning last_event_no, last_mail_no - $7 as before
    ), links as (
      insert into unsubscribe_tokens (token, trader_id, subscription_id)
      select token, $1, subscription_id from people
    )
    insert into subscriptions (trader_id, id, mail_no, subscriber_id, status, entitled_from_event,
      unsubscribe_token, price_cents, currency, started_at)
    select $1, subscription_id, before + place, user_id, 'active', last_event_no, token, 1000, 'usd', $6
    from people, head`,
    [
      crowd.traderId,
      people.map(({ user }) => user),
      people.map(({ subscription }) => subscription),
      people.map(({ token }) => token),
      people.map(({ address }) => address),
      now,
      people.length,
    ],
  )
}

/**
 * Opens a position and publishes its event, past prices and market hours. Its trader is not mailed that it becomes public: for a worker that
 * goes by the machine's clock it has been so for months.
 */
export async function publish(
  db: Queryable,
  crowd: Crowd,
  position: { symbol: string; openNotes?: string },
  now: Date,
): Promise<{ positionId: string; committedAt: number }> {
  const { traderId } = crowd
  const positionId = newId()
  await withPublishing(db, traderId, async (tx) => {
    await insertPosition(tx, {
      traderId,
      id: positionId,
      symbol: position.symbol,
      holdLength: 'one_to_three_weeks',
      openPrice: '187.52',
      openNotes: position.openNotes ?? 'Bought for a reason that is long enough.',
      openedAt: now,
      openPreviewId: newId(),
    })
    await tx
      .updateTable('positions')
      .set({ public_mail_due: null })
      .where('trader_id', '=', traderId)
      .where('id', '=', positionId)
      .execute()
    await publishEvent(tx, { traderId, positionId, kind: 'opened', requestId: null }, now)
  })
  return { positionId, committedAt: performance.now() }
}

/** Plans the mails of all events, as their reader does. */
export async function planAll(db: Queryable, now: Date): Promise<void> {
  const waiting = await db
    .selectFrom('event_work')
    .select(['trader_id as traderId', 'event_no as eventNo'])
    .orderBy('event_no')
    .execute()
  for (const event of waiting) await planDeliveries(db, event, now)
  await db.deleteFrom('event_work').execute()
}
