import assert from 'node:assert/strict'
import { MARK_LENGTH } from '../../server/src/mail/event-mails/mail-sheet.ts'
import { recountStatistics } from '../../server/src/positions/record/recount-statistics.ts'
import type { Figures } from '../../server/test/attacks/guess-codes.ts'
import { followEveryCent } from '../../server/test/money/follow-every-cent.ts'
import type { Load } from './restore-load.ts'
import type { RestoreWorld } from './restore-world.ts'

/**
 * The followers of each event's mail, by the formula of the planner (server/src/billing/entitlements/entitled-events.ts). A Message-ID names
 * the follower by a hash (server/src/mail/event-mails/mail-sheet.ts).
 */
const OWED = `select event_no || '.' || left(encode(sha256(convert_to(unsubscribe_token, 'UTF8')), 'hex'), ${MARK_LENGTH})
      || '.' || event.trader_id as id,
    coalesce(done_at is null and mail_no > progress_mail_no, true) as waits
  from position_events event
  join subscriptions using (trader_id)
  left join delivery_ranges range using (trader_id, event_no)
  where entitled_from_event < event_no
    and (entitled_until_event is null or entitled_until_event >= event_no)
    and (range.trader_id is null or mail_no > range.from_mail_no and mail_no <= range.to_mail_no)`

/** Left sides of Message-IDs. @property waiting those of them that had not been sent */
export type Owed = { all: string[]; waiting: Set<string> }

/** Mails that a database owes or owed about positions. */
export async function mailsOf({ database }: RestoreWorld): Promise<Owed> {
  const { rows } = await database.pool.query<{ id: string; waits: boolean }>(OWED)
  return {
    all: rows.map(({ id }) => id),
    waiting: new Set(rows.filter(({ waits }) => waits).map(({ id }) => id)),
  }
}

/** Every mail arrived; twice at most, and only where it was owed when the database was of another moment than the world. */
export function checkMails({ sink }: RestoreWorld, owed: Owed): Figures {
  const counts = new Map(
    [...sink.byMessageId].map(([id, count]) => [id.replace(/^<|@.*$/g, ''), count] as const),
  )
  const times = (id: string) => counts.get(id) ?? 0
  const repeated = owed.all.filter((id) => times(id) > 1)
  const lost = owed.all.filter((id) => times(id) === 0)
  assert.deepEqual(lost, [], 'mails of before the moment are lost')
  const beyond = repeated.filter((id) => times(id) > 2 || !owed.waiting.has(id))
  assert.deepEqual(beyond, [], 'mails are repeated that had been sent at the moment')
  return {
    'mails about positions of before the moment': owed.all.length,
    'that waited at the moment': owed.waiting.size,
    lost: lost.length,
    'repeated, all of those that waited': repeated.length,
  }
}

/** Resolves when no mail is planned or sent any more. */
export async function allMailsGone(world: RestoreWorld): Promise<boolean> {
  return (
    (await world.count(
      `select (select count(*) from event_work where reader = 'mail')
        + (select count(*) from delivery_ranges where done_at is null)
        + (select count(*) from delivery_exceptions where state = 'retry')`,
    )) === 0
  )
}

/** Statistics are those of a recount, every subscription at Stripe lives here, and no cent is missing. */
export async function checkBooks(world: RestoreWorld, { money }: Load): Promise<Figures> {
  const { database, sandbox, stripe } = world
  const wrong = await recountStatistics(database.db)
  assert.equal(wrong, 0)
  // Of the crowd Stripe knows nothing.
  await database.pool.query('delete from subscriptions where stripe_subscription_id is null')
  const live = await stripe.subscriptions.list({ limit: 100 }).autoPagingToArray({ limit: 10_000 })
  const { rows } = await database.pool.query<{ id: string }>(
    `select stripe_subscription_id as id from subscriptions where status <> 'canceled'`,
  )
  assert.deepEqual(rows.map(({ id }) => id).sort(), live.map(({ id }) => id).sort(), 'subscriptions')
  return {
    "traders' statistics that a recount mended": wrong,
    'subscriptions at Stripe, and here': live.length,
    ...(await followEveryCent({ pool: database.pool, sandbox, stripe }, [...money.traders, ...money.left])),
  }
}
