import type { Queryable } from '../platform/database.ts'
import { operatorMail } from '../platform/operator-mail.ts'
import { enqueue } from '../platform/queue.ts'

/**
 * Tells the operator of something about money that needs a person.
 * @param about Stripe's id of what it is about; while one mail waits to be sent, a second that says the same replaces it
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
