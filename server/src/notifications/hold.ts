import { withTransaction } from '../platform/database.ts'
import { operatorMail } from '../platform/operator-mail.ts'
import type { Refusal } from '../platform/smtp-outcome.ts'
import { withdrawRefusals } from './holds.queries.ts'
import type { Range } from './leases.queries.ts'
import type { NotedRefusal } from './refusal-window.ts'
import { endOfHold } from './retry-schedule.ts'
import type { Sender } from './sender.ts'

/** A second job of this key replaces one that waits: two workers that find the same out at once send one mail. */
const OPERATOR_MAIL_KEY = 'mail-server-refuses-us'

/**
 * Lets a range wait where it is, because the server refuses us: nobody is blamed, the operator is mailed once, and it is
 * tried again with growing pauses (decisions 3.5, Delivery).
 * @param earlier refusals that were held against their recipients and are taken back
 * @returns false: there is nothing to go on with
 */
export async function hold(
  sender: Sender,
  range: Range,
  refusal: Refusal,
  earlier: NotedRefusal[] = [],
): Promise<false> {
  const now = sender.clock.now()
  const until = endOfHold(range.holds, now, Math.random())
  sender.window.refusedUs(now)
  if (earlier.length > 0) await withTransaction(sender.db, (tx) => withdrawRefusals(tx, earlier, until))
  const job = { name: operatorMail.name, key: OPERATOR_MAIL_KEY, payload: notice(refusal) }
  await sender.ledger.holdRange({ range, until, job })
  const { replyCode, status } = refusal
  sender.log.warn({ replyCode, status, until }, 'the mail server refuses our mails; they wait')
  return false
}

/** The server's own words stay out: they can quote an address. */
function notice({ replyCode, status }: Refusal): object {
  return operatorMail.payload.parse({
    subject: 'the mail server refuses our mails',
    text: [
      `It answered ${[replyCode, status].filter(Boolean).join(' ')}, which speaks of us and not of one recipient: the sender's`,
      'address, the login, a policy or a block list.',
      '',
      'Mails about positions wait and are tried again, with pauses of up to 15 minutes. Nobody is suppressed, nothing is',
      'lost, and they go out by themselves once the server takes them. You get no further mail about it until then.',
      '',
      'The log of the mail server tells the reason.',
    ].join('\n'),
  })
}
