import * as z from 'zod'
import type { Queryable } from '../platform/database.ts'
import { newId } from '../platform/ids.ts'
import { defineJob, enqueue } from '../platform/queue.ts'
import { insertMoneyMail } from './money-mails.queries.ts'

const money = { amountCents: z.int(), currency: z.string() }
/** The one who is followed, as they spell their name. */
const trader = { trader: z.string() }

/** What each mail says; addresses are looked up when it is sent. */
export const moneyMailFacts = {
  /** To the subscriber: a renewal was not paid. `action_required`: the bank wants a confirmation. */
  payment_problem: z.object({
    ...trader,
    ...money,
    problem: z.enum(['declined', 'action_required']),
    /** Stripe does not try it again automatically. */
    last: z.boolean().optional(),
  }),
  /** To the subscriber, whatever ended it but the trader's own loss of payouts. */
  subscription_ended: z.object({ ...trader, why: z.enum(['canceled', 'unpaid', 'disputed']) }),
  /** To both: the second of two payments for the same subscription went back whole. */
  double_payment_returned: z.object({
    ...trader,
    ...money,
    to: z.enum(['subscriber', 'trader']),
  }),
  /** To the subscriber: the trader cannot be paid any more; `amountCents` is what was returned, maybe nothing. */
  trader_unavailable: z.object({ ...trader, ...money }),
  /** To that trader, once for each loss, however many followed them. */
  payouts_lost: z.object({ ...trader, after: z.enum(['account_closed', 'waiting', 'suspended']) }),
  /** To the trader: a bank took a payment back. */
  payment_disputed: z.object({ ...trader, ...money }),
  /** To the subscriber: nothing is charged for now, and later: it is again. */
  collection_paused: z.object(trader),
  collection_resumed: z.object(trader),
  /** To the trader whom Stripe cannot pay for now, once for each loss. */
  payouts_paused: z.object(trader),
  /** To the person who was suspended or let back; `reason` as the operator wrote it. */
  account_suspended: z.object({ reason: z.string() }),
  account_restored: z.object({ reason: z.string() }),
}

export type MoneyMailKind = keyof typeof moneyMailFacts
export type MoneyMail = {
  [Kind in MoneyMailKind]: { kind: Kind; facts: z.infer<(typeof moneyMailFacts)[Kind]> }
}[MoneyMailKind]

export const sendMoneyMail = defineJob('send-money-mail', z.object({ id: z.uuid() }))

/**
 * Owes somebody a mail, in the transaction that wrote its cause. Safe to repeat: one mail a kind, person and cause.
 * @param cause what happened, in Stripe's ids, such as `in_123:2` for the second failed try of an invoice
 */
export async function oweMoneyMail(
  tx: Queryable,
  mail: MoneyMail & { userId: string; cause: string },
  now: Date,
): Promise<void> {
  const id = newId()
  if (await insertMoneyMail(tx, { ...mail, id }, now)) await enqueue(tx, sendMoneyMail, { id })
}
