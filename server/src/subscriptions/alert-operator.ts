import type { Queryable } from '../platform/database.ts'
import { operatorMail } from '../platform/operator-mail.ts'
import { enqueue } from '../platform/queue.ts'

/**
 * Mails the operator about something concerning money that needs a person. While a mail waits to be sent, a second one with
 * the same `what` and `about` replaces it.
 * @param what a few words for the subject line
 * @param about Stripe's id of the object concerned
 */
export function alertOperator(tx: Queryable, what: string, about: string): Promise<void> {
  return enqueue(
    tx,
    operatorMail,
    {
      subject: `payments: ${what}`,
      text: `${what}: ${about}\n\nLook it up in Stripe's dashboard; \`npm run operator -- debts\` lists what is owed there.\n`,
    },
    { key: `alert:${what}:${about}` },
  )
}
