import type pg from 'pg'

type RangeKey = { traderId: string; eventNo: number; from: number }
type RetryKey = { traderId: string; eventNo: number; mailNo: number }

/** Where a range has come to: everybody up to `reached` is settled, and the mail server took `sent` mails of it in all. */
export type Progress = { range: RangeKey; reached: number; sent: number; done: boolean; at: Date }

/**
 * Writes the progress of many ranges at once, each only while its lease is still this worker's. Written twice, or behind a newer
 * step, it changes nothing.
 * @returns for each, in order, whether it was
 */
export async function writeProgress(
  client: pg.Client,
  number: number,
  progress: Progress[],
): Promise<boolean[]> {
  const { rows } = await client.query<{ places: string }>({
    name: 'write-progress',
    text: `with written as (update delivery_ranges range set
        progress_mail_no = greatest(progress_mail_no, step.reached), sent_count = greatest(sent_count, step.sent),
        leased_at = step.at,
        first_sent_at = case when step.sent > 0 then coalesce(first_sent_at, step.at) else first_sent_at end,
        last_sent_at = case when step.sent > sent_count then step.at else last_sent_at end,
        done_at = case when step.done then step.at end,
        held_until = null, held_at = null, holds = 0,
        lease_owner = case when step.done then null else lease_owner end
      from unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::bigint[], $6::int[], $7::boolean[], $8::timestamptz[])
        with ordinality as step (trader_id, event_no, from_no, reached, sent, done, at, place)
      where range.trader_id = step.trader_id and range.event_no = step.event_no
        and range.channel = 'mail' and range.from_mail_no = step.from_no and range.lease_owner = $1
      returning step.place)
      select coalesce(string_agg(place::text, ' '), '') as places from written`,
    values: [
      number,
      progress.map(({ range }) => range.traderId),
      progress.map(({ range }) => range.eventNo),
      progress.map(({ range }) => range.from),
      progress.map(({ reached }) => reached),
      progress.map(({ sent }) => sent),
      progress.map(({ done }) => done),
      progress.map(({ at }) => at),
    ],
  })
  const written = rows[0]?.places.split(' ') ?? []
  return progress.map((_, index) => written.includes(String(index + 1)))
}

/** The state of a recipient who needs a separate row. */
export type Exception = {
  state: 'retry' | 'sent' | 'refused' | 'failed' | 'skipped'
  tries: number
  /** How many of the tries were refused. */
  refusals: number
  retryAt: Date | null
  replyCode: number | null
}

/**
 * Settles a recipient of a range by an exception, and moves the range's progress past them, in one statement.
 * @param mailNo the recipient's
 * @returns false when the range is leased by somebody else by now; nothing is written then
 */
export async function writeException(
  client: pg.Client,
  number: number,
  step: Progress,
  mailNo: number,
  exception: Exception,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'write-exception',
    text: `with moved as (
        update delivery_ranges set progress_mail_no = $5::bigint, leased_at = $6::timestamptz,
          done_at = case when $7::boolean then $6::timestamptz end, lease_owner = case when $7::boolean then null else lease_owner end
        where trader_id = $2 and event_no = $3 and channel = 'mail' and from_mail_no = $4 and lease_owner = $1
        returning trader_id, event_no
      )
      insert into delivery_exceptions
        (trader_id, event_no, channel, mail_no, state, tries, refusals, retry_at, smtp_code, created_at, updated_at)
      select trader_id, event_no, 'mail', $12::bigint, $8::text, $9::int, $13::int, $10::timestamptz, $11::int,
        $6::timestamptz, $6::timestamptz from moved
      on conflict (trader_id, event_no, channel, mail_no) do update set updated_at = excluded.updated_at
      returning mail_no`,
    values: [
      number,
      step.range.traderId,
      step.range.eventNo,
      step.range.from,
      step.reached,
      step.at,
      step.done,
      exception.state,
      exception.tries,
      exception.retryAt,
      exception.replyCode,
      mailNo,
      exception.refusals,
    ],
  })
  return rowCount === 1
}

/** Settles a retry that this worker holds. @returns false when somebody else holds it by now */
export async function writeRetry(
  client: pg.Client,
  number: number,
  retry: RetryKey,
  exception: Exception,
  now: Date,
): Promise<boolean> {
  const { rowCount } = await client.query({
    name: 'write-retry',
    text: `update delivery_exceptions set state = $5::text, tries = $6, refusals = $9, retry_at = $7::timestamptz,
        smtp_code = coalesce($8::int, smtp_code), lease_owner = null, leased_at = null, updated_at = $10::timestamptz
      where trader_id = $2 and event_no = $3 and channel = 'mail' and mail_no = $4 and lease_owner = $1`,
    values: [
      number,
      retry.traderId,
      retry.eventNo,
      retry.mailNo,
      exception.state,
      exception.tries,
      exception.retryAt,
      exception.replyCode,
      exception.refusals,
      now,
    ],
  })
  return rowCount === 1
}
