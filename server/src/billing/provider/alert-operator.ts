import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database/queryable.ts'

/**
 * Mails the operator about something concerning money that needs a person. While a mail waits to be sent, a second one with
 * the same `what` and `about` is dropped.
 * @param what a few words for the subject line
 * @param about Stripe's id of the object concerned
 */
export function alertOperator(tx: Queryable, what: string, about: string, now: Date): Promise<void> {
  const facts = {
    subject: `payments: ${what}`,
    text: `${what}: ${about}\n\nLook it up in Stripe's dashboard; \`npm run operator -- debts\` lists what is owed there, \`npm run operator -- disputes\` what a bank waits for.\n`,
  }
  const cause = `alert:${what}:${about}`
  return queueMail(tx, { kind: 'operator_notice', userId: null, cause, facts }, now)
}
