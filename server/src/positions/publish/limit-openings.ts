import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'
import { refusal } from '../../platform/http/refusal.ts'
import { countUse } from '../../platform/rate-limit.ts'
import { listOpeningsSince } from '../record/positions.queries.ts'

const HOUR_SECONDS = 3600
const DAY_SECONDS = 86_400
/** Each mails all followers, so that a trader has no more of them (ADR 0075). */
const LIMITS = [
  { max: 20, seconds: HOUR_SECONDS },
  { max: 60, seconds: DAY_SECONDS },
]
/** One refusal of a day notifies nobody. */
const NOTIFIED_AT_REFUSAL = 2

/**
 * Counts in the transaction that has just opened a position and locked the trader's count, so that of two at once the second waits.
 * @throws `too_many_openings` with the seconds until there is room again
 */
export async function requireFewOpenings(tx: Queryable, traderId: string, now: Date): Promise<void> {
  const openings = await listOpeningsSince(tx, { traderId, since: secondsBefore(now, DAY_SECONDS) })
  for (const { max, seconds } of LIMITS) {
    // The one of which the place becomes free first; the newest is the opening that asks.
    const first = openings[max]
    if (!first || first <= secondsBefore(now, seconds)) continue
    const retryAfterSeconds = Math.ceil(seconds - (now.getTime() - first.getTime()) / 1000)
    throw refusal('too_many_openings', { retryAfterSeconds })
  }
}

/** Notifies the operator of a trader who is refused for the second time in a day. */
export async function noteTooManyOpenings(
  db: Queryable,
  trader: { id: string; username: string },
  now: Date,
): Promise<void> {
  const { count } = await countUse(
    db,
    { key: `openings-refused:${trader.id}`, windowSeconds: DAY_SECONDS },
    now,
  )
  if (count !== NOTIFIED_AT_REFUSAL) return
  const facts = {
    subject: `@${trader.username} opens very many positions`,
    text: `@${trader.username} was refused twice today, for more than 20 openings in an hour or 60 in a day. Each opening mails all of their followers.\n`,
  }
  const cause = `openings:${trader.id}`
  await queueMail(db, { kind: 'operator_notice', userId: null, cause, facts }, now)
}

function secondsBefore(now: Date, seconds: number): Date {
  return new Date(now.getTime() - seconds * 1000)
}
