import { sql } from 'kysely'
import { LIVING_WORKERS } from '../platform/database/living-workers.ts'
import { compiledQuery } from '../platform/database/queryable.ts'

/** A count of waiting things. @property since of the oldest; null where nothing waits @property label of a part of it, or '' */
export type WaitingRow = { figure: string; label: string; count: number; since: Date | null }

/**
 * All that waits in the database, in one statement: each part reads the index of what is not done yet. Rows of payments that are due
 * (ADR 0107) count as jobs. The record is no queue: its entries count, and the age of its newest checkpoint. Jobs count by the database's own time, which is shifted to `now`.
 */
export const countWaiting = compiledQuery(
  (_db, { now }: { now: Date }) => sql<WaitingRow>`
    select 'worker' as figure, '' as label, count(*)::int as count, null::timestamptz as since
      from (${sql.raw(LIVING_WORKERS)}) living
    union all
    select 'job', '', count(*)::int, min(due_at) from (
        select ${now}::timestamptz - (now() - due_at), lease_owner
          from work where parked_at is null and due_at <= now()
        union all select retry_at, lease_owner from customers where retry_at <= ${now}
        union all select look_at, lease_owner from payout_accounts where look_at <= ${now}
        union all select look_at, lease_owner from checkout_sessions where look_at <= ${now}
        union all select due_at, lease_owner from debts where due_at <= ${now}
        union all select notify_at, lease_owner from own_prices where notify_at <= ${now}
      ) job (due_at, lease_owner) where lease_owner is null
    union all
    select 'lost job', '', count(*)::int, null
      from work where parked_at is not null or (tries >= most_tries and lease_owner is null)
    union all
    select 'event', reader.name, count(work.event_no)::int, min(work.created_at)
      from event_readers reader left join event_work work on work.reader = reader.name and work.parked_at is null
      group by reader.name
    union all
    select 'lost event', reader.name, count(work.event_no)::int, min(work.parked_at)
      from event_readers reader left join event_work work on work.reader = reader.name and work.parked_at is not null
      group by reader.name
    union all
    select 'signal mail', '', coalesce(sum(to_mail_no - progress_mail_no), 0)::int, min(created_at)
      from delivery_ranges where channel = 'mail' and done_at is null
    union all
    select 'single mail', lane.name, count(mail.id)::int, min(mail.due_at)
      from (values ('sign-in'), ('other')) lane(name)
      left join outbox mail on mail.lane = lane.name and mail.ended_at is null and mail.due_at <= ${now}
      group by lane.name
    union all
    select 'push', '', count(*)::int, min(due_at) from push_deliveries where ended_at is null and due_at <= ${now}
    union all
    select 'webhook', '', count(*)::int, min(received_at) from stripe_events where due_at is not null
    union all
    select 'record', '', size::int, signed_at from record_head where note is not null`,
)
