import { withTransaction } from '../../platform/database/queryable.ts'
import { notifyWhileItLasts } from '../outbox/operator-notices.ts'
import { withdrawRefusals } from '../progress/holds.queries.ts'
import type { Range } from '../progress/leases.queries.ts'
import type { NotedRefusal } from '../refusals/alike-refusals.ts'
import { ADDRESSES_REFUSED } from '../refusals/refused-addresses.ts'
import { endOfHold } from '../refusals/retry-schedule.ts'
import type { SmtpRefusal } from '../smtp/smtp-outcome.ts'
import type { Sender } from './sender.ts'

/**
 * Holds a range, because the mail server refuses us and not its recipients (ADR 0023): no recipient is suppressed, the
 * operator is mailed once, and the range is tried again with growing pauses of up to 15 minutes.
 * @param refusal the server's last answer
 * @param noted refusals that were counted against recipients and are now taken back
 * @returns always false, which makes the caller stop working on the range
 */
export async function hold(
  sender: Sender,
  range: Range,
  refusal: SmtpRefusal,
  noted: NotedRefusal[] = [],
): Promise<false> {
  const now = sender.clock.now()
  const until = endOfHold(range.holds, now, Math.random())
  await sender.store.holdRange({ range, until })
  await refusedUs(sender, refusal, { noted, until })
  return false
}

/** How refusals are taken back. @property noted the refusals @property until when those people are tried again (UTC) */
type Then = { noted: NotedRefusal[]; until: Date }

/**
 * Takes back refusals that were counted against recipients although the server refuses us, and mails the operator: once, and
 * not again before an hour without such a refusal.
 */
export async function refusedUs(sender: Sender, refusal: SmtpRefusal, then: Then): Promise<void> {
  sender.window.refusedUs(sender.clock.now())
  await takeBack(sender, refusal, then)
}

/**
 * The same for recipients who are all refused with one answer: all others are mailed on (ADR 0089).
 * @param refusal null where they are all deferred, which the operator need not know: servers that do not know us do so
 */
export async function takeBack(sender: Sender, refusal: SmtpRefusal | null, then: Then): Promise<void> {
  const { until, noted } = then
  await withTransaction(sender.db, async (tx) => {
    if (noted.length > 0) await withdrawRefusals(tx, noted, until)
    if (refusal) await notifyWhileItLasts(tx, noticeKindOf(refusal), notice(refusal), sender.clock.now())
  })
  if (!refusal) return
  const { replyCode, status } = refusal
  sender.log.warn({ replyCode, status, until }, 'the mail server refuses our mails; they wait')
}

/** Addresses that are refused one by one and all together are one lasting fault: the operator is notified once. */
function noticeKindOf({ about }: SmtpRefusal): string {
  return about === 'address' ? ADDRESSES_REFUSED : 'mail-server-refuses-us'
}

/** The mail to the operator. It leaves out the server's own text, which can quote an address. */
function notice({ replyCode, status }: SmtpRefusal): { subject: string; text: string } {
  return {
    subject: 'the mail server refuses our mails',
    text: [
      `It answered ${[replyCode, status].filter(Boolean).join(' ')}, which speaks of us and not of one recipient: the sender's`,
      'address, the login, a policy, a block list, a limit, or a directory that is away for everybody or for one provider.',
      '',
      'Mails about positions wait and are tried again, with pauses of up to 15 minutes. Nobody is suppressed, nothing is',
      'lost, and they go out by themselves once the server takes them. You get no further mail about it until then.',
      '',
      'The log of the mail server says why.',
    ].join('\n'),
  }
}
