/** Everything that a person received, by which ways, and where those ways are shut. */
import { sql } from 'kysely'
import { entitledWindows } from '../../billing/entitlements/entitled-events.ts'
import { compiledQuery } from '../../platform/database/queryable.ts'
import { pageById, pageByText } from './person-page.ts'

export const selectMails = pageById({
  columns: sql`kind, facts, cause, created_at, ended_at, ended_as, tries`,
  from: sql`outbox`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
  made: sql`created_at`,
})

/** Of the address of a device its host: the rest of it lets anybody send there. */
export const selectDevices = pageById({
  columns: sql`id, session_id, split_part(endpoint, '/', 3) as push_service, user_agent, created_at, failing_since`,
  from: sql`push_devices`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`id`,
})

export const selectNotifications = pageByText({
  columns: sql`account.username as trader, sent.event_no, sent.device_id, sent.endpoint_host, sent.created_at, sent.ended_at, sent.ended_as,
    sent.tries`,
  from: sql`push_devices device join push_deliveries sent on sent.device_id = device.id
    left join accounts account on account.user_id = sent.trader_id`,
  whose: ({ userId }) => sql`device.user_id = ${userId}`,
  key: sql`concat_ws(' ', sent.trader_id, sent.event_no, sent.device_id)`,
})

export const selectSuppression = pageById({
  columns: sql`cause, smtp_code, smtp_status, created_at, ends_at`,
  from: sql`suppressions`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`user_id`,
})

export const selectReports = pageByText({
  columns: sql`kind, topic, source, status, smtp_code, about, counts, reported_at`,
  from: sql`mail_reports`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`concat_ws(' ', kind, reader_id, encode(tag, 'hex'))`,
})

/** A refusal of a mail to the person alone names them as its trader. */
export const selectRefusals = pageByText({
  columns: sql`account.username as trader, refusal.event_no, refusal.refused_at`,
  from: sql`mail_refusals refusal left join accounts account on account.user_id = refusal.trader_id`,
  whose: ({ userId }) => sql`refusal.user_id = ${userId}`,
  key: sql`concat_ws(' ', refusal.trader_id, refusal.event_no)`,
})

export const selectRenewalMail = pageById({
  columns: sql`stopped_at`,
  from: sql`renewal_mails`,
  whose: ({ userId }) => sql`user_id = ${userId}`,
  key: sql`user_id`,
})

export const selectReads = pageById({
  columns: sql`account.username as trader, seen.event_no`,
  from: sql`activity_reads seen left join accounts account on account.user_id = seen.trader_id`,
  whose: ({ userId }) => sql`seen.user_id = ${userId}`,
  key: sql`seen.trader_id`,
})

/** A trader whom somebody follows or followed, and the numbers of events that they were told, a multirange as PostgreSQL writes it. */
type Followed = { traderId: string; username: string | null; windows: string }

/** In the order of their ids. */
export const selectFollowed = compiledQuery(
  (_db, { userId }: { userId: string }) => sql<Followed>`
    select follow.trader_id as "traderId", account.username, follow.windows::text as windows
    from (
      select trader_id, ${entitledWindows} as windows from subscriptions where subscriber_id = ${userId} group by trader_id
    ) follow left join accounts account on account.user_id = follow.trader_id
    order by follow.trader_id`,
)

/** The prices that count as those at which following a trader began. @param page.shownUntil later ones are left empty; null for none */
export const selectBeginnings = compiledQuery(
  (
    _db,
    {
      after,
      limit,
      shownUntil,
      traderId,
      userId,
    }: {
      traderId: string
      userId: string
      after: string
      limit: number
      shownUntil: Date | null
    },
  ) => sql<{
    position_id: string
    symbol: string
    price: string | null
    priced_at: Date
  }>`
    select position_id, symbol, case when ${shownUntil}::timestamptz is null or priced_at <= ${shownUntil}::timestamptz then price end as price,
      priced_at from following_prices
    where trader_id = ${traderId} and subscriber_id = ${userId} and position_id > ${after}::uuid
    order by position_id limit ${limit}`,
)
