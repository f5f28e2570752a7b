import { type MailFacts, type MailKind, mails } from '@tradepost/emails/render'
import type { Insertable } from 'kysely'
import type { Queryable } from '../../platform/database/queryable.ts'
import type { Outbox } from '../../platform/database/schema.ts'
import { newId } from '../../platform/ids.ts'
import { windowOf } from '../../platform/rate-window.ts'
import { LIMITED_MAILS, termsOf } from './categories.ts'
import { insertMail, insertMails } from './outbox.queries.ts'

/** A mail of any kind to a single reader. */
export type MailOrder = {
  [Kind in MailKind]: {
    kind: Kind
    facts: MailFacts<Kind>
    /** The reader; null for the operator, and where the address is found out when the mail is sent. */
    userId: string | null
    /**
     * The cause: a person is mailed once of each cause, such as `in_123:2` for the second failed try of an invoice. Of a mail
     * to the operator, its subject: a second one is dropped while the first waits.
     */
    cause?: string
  }
}[MailKind]

/**
 * Has a mail sent, exactly when the transaction of its cause commits, and wakes the workers: one statement. The mail is tried
 * until the mail server takes it or its time is over (categories.ts); the address is the one that the reader has then.
 * @throws ZodError when the facts are not those of the kind
 */
export function queueMail(tx: Queryable, order: MailOrder, now: Date): Promise<void> {
  return insertMail(tx, mailRow(order, now))
}

/** A mail of any kind that is not limited, to be sent to several people. */
type MailToMany = {
  [Kind in MailKind]: { kind: Kind; facts: MailFacts<Kind>; cause: string }
}[MailKind]

/**
 * Has a mail sent to each of several people, as `queueMail` does to one, with one statement.
 * @returns how many are mailed; people who were mailed of the cause earlier are not
 */
export async function queueMails(
  tx: Queryable,
  order: MailToMany,
  userIds: string[],
  now: Date,
): Promise<number> {
  if (userIds.length === 0) return 0
  const mail = mailRow({ ...order, userId: null }, now)
  return insertMails(tx, mail, { ids: userIds.map(() => newId()), userIds })
}

/** The stored row of an order: of its facts only those that its kind names. */
export function mailRow(order: MailOrder, now: Date): Insertable<Outbox> {
  const { lane, triedForMs, limited } = termsOf(order.kind)
  return {
    id: newId(),
    kind: order.kind,
    lane,
    user_id: order.userId,
    facts: JSON.stringify(mails[order.kind].facts.parse(order.facts)),
    cause: order.cause ?? null,
    created_at: now,
    due_at: now,
    expires_at: new Date(now.getTime() + triedForMs),
    place_in: limited ? placeAt(now) : null,
  }
}

/** The window in which a mail that is asked for at an instant has its place. */
function placeAt(instant: Date): Date {
  return windowOf(LIMITED_MAILS.windowSeconds, instant).start
}
