import { findUsername } from '../../accounts/accounts.queries.ts'
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import type { Queryable } from '../../platform/database.ts'
import { alertOperator } from '../provider/alert-operator.ts'
import type { PayoutAccount } from './payout-accounts.queries.ts'
import { hasPayingSubscribers } from './payout-requests.queries.ts'

/**
 * Mails the trader that their payout account was rejected, and the operator, with Stripe's code for the reason.
 * @param tx the transaction that stores `rejectedAt`, so that both are told once however often the account is read
 */
export async function tellOfRejection(tx: Queryable, account: PayoutAccount, now: Date): Promise<void> {
  const { reason, userId } = account
  const id = account.stripeAccountId ?? ''
  const trader = (await findUsername(tx, userId)) ?? ''
  const facts = { trader, followed: await hasPayingSubscribers(tx, userId) }
  await queueMail(tx, { kind: 'payouts_rejected', userId, cause: id, facts }, now)
  await alertOperator(tx, `a payout account was rejected (${reason ?? 'no reason given'})`, id, now)
}
