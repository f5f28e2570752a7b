import { withTransaction } from '../platform/database.ts'
import { tellWhileItLasts } from '../platform/operator-notices.ts'
import type { Refusal } from '../platform/smtp-outcome.ts'
import { withdrawRefusals } from './holds.queries.ts'
import type { Range } from './leases.queries.ts'
import type { NotedRefusal } from './refusal-window.ts'
import { endOfHold } from './retry-schedule.ts'
import type { Sender } from './sender.ts'

const KIND = 'mail-server-refuses-us'

/**
 * Lets a range wait where it is, because the server refuses us: nobody is blamed, the operator is mailed once, and it is
 * tried again with growing pauses (decisions 3.5, Delivery).
 * @param noted refusals that were held against their recipients and are taken back
 * @returns false: there is nothing to go on with
 */
export async function hold(
  sender: Sender,
  range: Range,
  refusal: Refusal,
  noted: NotedRefusal[] = [],
): Promise<false> {
  const now = sender.clock.now()
  const until = endOfHold(range.holds, now, Math.random())
  await sender.store.holdRange({ range, until })
  await refusedUs(sender, refusal, { noted, until })
  return false
}

/**
 * Takes back what was held against recipients although the server meant us, and mails the operator, once for as long as it
 * goes on.
 * @param then.until when those recipients are tried again
 */
export async function refusedUs(
  sender: Sender,
  refusal: Refusal,
  then: { noted: NotedRefusal[]; until: Date },
): Promise<void> {
  const { replyCode, status } = refusal
  const { until, noted } = then
  const now = sender.clock.now()
  sender.window.refusedUs(now)
  await withTransaction(sender.db, async (tx) => {
    if (noted.length > 0) await withdrawRefusals(tx, noted, until)
    await tellWhileItLasts(tx, KIND, notice(refusal), now)
  })
  sender.log.warn({ replyCode, status, until }, 'the mail server refuses our mails; they wait')
}

/** The server's own words stay out: they can quote an address. */
function notice({ replyCode, status }: Refusal): { subject: string; text: string } {
  return {
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
  }
}
