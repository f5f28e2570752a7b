import { PEOPLE } from './world.ts'

/** People who follow, read what they follow by mail and have never opened Activity. */
export const FOLLOWERS = 200
/** Traders whom each of them follows. */
const FOLLOWED = 20
/** Traders whose events are written. */
const PUBLISHING = 1000

type Ask = (sql: string, values?: unknown[]) => Promise<unknown>

/** The nth follower's id, as the statements below write it. */
export const followerId = (nth: number) => `20000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
export const followerSessionId = (nth: number) => `30000000-0000-4000-8000-${String(nth).padStart(12, '0')}`

/**
 * Adds followers to the world that `fillWorld` has made: its traders have published every opening and every close, 180 events each, and
 * each of them went by mail to all who follow that trader.
 */
export async function fillFollowers(ask: Ask): Promise<void> {
  const follower = `('20000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid`
  await ask(
    `insert into users (id, email, created_at, updated_at)
    select ${follower}, 'f' || n || '@example.com', now(), now() from generate_series(1, $1) n`,
    [FOLLOWERS],
  )
  await ask(
    `insert into sessions (id, user_id, aal, amr, successor_seen, created_at, refreshed_at, seen_at)
    select ('30000000-0000-4000-8000-' || lpad(n::text, 12, '0'))::uuid, ${follower}, 'aal1', '[{"method":"otp","timestamp":1}]', true,
      now(), now(), now()
    from generate_series(1, $1) n`,
    [FOLLOWERS],
  )
  await ask(
    `insert into position_events (trader_id, event_no, position_id, kind, created_at)
    select trader_id, row_number() over (partition by trader_id order by at, kind desc, id), id, kind, at
    from positions, lateral (values ('opened', opened_at), ('closed', closed_at)) happened (kind, at)
    where at is not null and trader_id in (select trader_id from traders order by trader_id limit $1)`,
    [PUBLISHING],
  )
  await ask(
    `update traders set last_event_no = published.last, last_mail_no = $1
    from (select trader_id, max(event_no) as last from position_events group by trader_id) published
    where published.trader_id = traders.trader_id`,
    [FOLLOWERS],
  )
  // The nth follows twenty traders from the nth person on, in a ring.
  await ask(
    `insert into subscriptions (trader_id, id, mail_no, subscriber_id, status, entitled_from_event, unsubscribe_token, price_cents,
      currency, started_at)
    select trader.trader_id, gen_random_uuid(), n, ${follower}, 'active', 0, gen_random_uuid()::text, 1000, 'usd', now()
    from generate_series(1, $1) n, generate_series(0, ${FOLLOWED - 1}) nth, lateral (
      select trader_id from (
        select trader_id, row_number() over (order by trader_id) - 1 as place, count(*) over () as traders
        from traders where last_event_no > 0 and trader_id in (select trader_id from traders order by trader_id limit ${PEOPLE})
      ) ring where place = (n + nth) % traders
    ) trader
    on conflict do nothing`,
    [FOLLOWERS],
  )
  await ask(
    `insert into delivery_ranges (trader_id, event_no, from_mail_no, to_mail_no, progress_mail_no, first_sent_at, last_sent_at, sent_count,
      done_at, created_at)
    select trader_id, event_no, 0, $1, $1, created_at + interval '1 second', created_at + interval '2 seconds', 20,
      created_at + interval '3 seconds', created_at
    from position_events`,
    [FOLLOWERS],
  )
  await ask('vacuum analyze')
}
