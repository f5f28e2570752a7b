import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database.ts'
import { cutRanges, findRecipients } from './audience.queries.ts'
import { findEndedEvent } from './ended-events.queries.ts'
import { type EventMails, NOBODY } from './event-mails.ts'
import { lockPlan, recordPlanned } from './planning.queries.ts'

/** Ranges that a small event has read at once, each over a connection to the database. */
const READ_AT_ONCE = 4

type RehearsalDeps = { db: Queryable; clock: Clock; mails: EventMails }

/** Renders a mail, and has the database asked once, about a trader who does not exist, all that an event's mails ask. Nothing depends on it. */
export async function rehearse({ clock, db, mails }: RehearsalDeps): Promise<void> {
  const now = clock.now()
  mails.rehearse(now)
  const plan = withTransaction(db, async (tx) => {
    await lockPlan(tx, NOBODY)
    await cutRanges(tx, NOBODY, { recipients: 1, perRange: 1 }, now)
    await recordPlanned(tx, NOBODY, { recipients: 0, ended: true }, now)
  })
  const part = { ...NOBODY, after: 0, upTo: 0 }
  const pages = Array.from({ length: READ_AT_ONCE }, () => findRecipients(db, part, now))
  await Promise.allSettled([mails.of(NOBODY), plan, findEndedEvent(db, NOBODY), ...pages])
}
