import type { Clock } from '../../platform/clock.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import { countMail } from '../../platform/metrics.ts'
import type { WakeUp } from '../../work/wake-up.ts'
import type { EventMails } from '../event-mails/event-mails.ts'
import type { MailSheet } from '../event-mails/mail-sheet.ts'
import type { MailTemplate } from '../event-mails/mail-template.ts'
import { notifyWhileItLasts } from '../outbox/operator-notices.ts'
import type { Addressed, Recipient } from '../plan/recipient-page.ts'
import type { DeliveryStore } from '../progress/delivery-store.ts'
import { withdrawRefusals } from '../progress/holds.queries.ts'
import type { Exception } from '../progress/progress.queries.ts'
import type { Range } from '../progress/range.ts'
import type { NotedRefusal } from '../refusals/alike-refusals.ts'
import type { RefusalWindow } from '../refusals/refusal-window.ts'
import { endOfHold, nextTry, nextTryAfterRefusal } from '../refusals/retry-schedule.ts'
import type { SessionLimit } from '../refusals/session-limit.ts'
import type { SmtpWithBackOff } from '../refusals/smtp-with-back-off.ts'
import { isWritableAddress } from '../smtp/mail-address.ts'
import type { PipeliningTrust } from '../smtp/pipelining-trust.ts'
import type { SmtpConnection } from '../smtp/smtp-connection.ts'
import {
  type Deferral,
  type SendOutcome,
  SmtpLost,
  type SmtpRefusal,
  UNWRITABLE,
} from '../smtp/smtp-outcome.ts'
import { holdRefusalAgainst } from '../suppressions/hold-refusal.ts'
import { countRefusedAt, deleteRefusals, suppressAddress } from '../suppressions/suppressions.queries.ts'
import type { RecentStops } from './recent-stops.ts'

/** The kind of its notice. */
const ADDRESSES_REFUSED = 'addresses-refused'
const MANY_ADDRESSES = 3

/** The state that the sender loops of one worker share. */
export type Sender = {
  db: Queryable
  clock: Clock
  log: Log
  store: DeliveryStore
  mails: EventMails
  smtpUrl: string
  /** Whether the mail server is believed to bear PIPELINING. */
  trust: PipeliningTrust
  /** The envelope sender of a mail of an event to each of these readers, by their place: named all together, since one by one would take a sixth of the time of a fan-out. */
  from: (mail: MailTemplate, readerIds: () => readonly string[]) => (place: number) => string
  wakeUp: WakeUp
  /** Whether the loops must end: the worker stops, or has lost its leases. */
  ended(): boolean
  /** People who stopped mails lately. */
  stops: RecentStops
  /** The mail server's latest answers. */
  window: RefusalWindow
  limit: SessionLimit
  /** Mails at which a connection broke without a word from the server; see `isRepeatedBreak`. */
  suspects: Set<string>
  /** Ranges that could not be worked on for a reason of ours; held back a while, so that others get their turn. */
  parked: { range: Range; until: Date }[]
  /** The range ahead of each loop that fetches one. */
  ahead: { giveBackStale(now: Date): Promise<void> }[]
}

/** A mail that was not taken; a break has no reply code. */
export type Failure = SmtpRefusal | Deferral | { kind: 'deferred'; replyCode: null }

/** A mail of an event to one recipient, on the sheet of the connection that sends it. */
export type RecipientMail = { sheet: MailSheet; recipient: Addressed; traderId: string; eventNo: number }

/**
 * @param next the recipient of the next mail over the same connection, or null
 * @returns null when the server took the mail
 * @throws SmtpLost when the connection failed, for which no recipient is to blame
 */
export async function tryToDeliver(
  sender: Sender,
  smtp: SmtpWithBackOff,
  recipientMail: RecipientMail,
  next: Addressed | null = null,
): Promise<Failure | null> {
  try {
    const outcome = await deliver(sender, smtp, recipientMail, next)
    countMail('signal', outcome.kind === 'accepted' ? 'sent' : outcome.kind)
    return outcome.kind === 'accepted' ? null : outcome
  } catch (error) {
    countMail('signal', error instanceof SmtpLost && error.refusal ? 'refused' : 'lost')
    if (error instanceof SmtpLost && error.refusal) {
      smtp.failed()
      return error.refusal
    }
    if (!isRepeatedBreak(sender, error, recipientMail)) throw error
    return { kind: 'deferred', replyCode: null }
  }
}

type Sending = Parameters<SmtpConnection['send']>

/** Over another session, at once, where the one before has taken mails and takes no more for now. */
async function deliver(
  { clock, limit }: Sender,
  smtp: SmtpWithBackOff,
  { sheet, recipient }: RecipientMail,
  next: Addressed | null,
): Promise<SendOutcome> {
  const { address, from } = recipient
  if (!isWritableAddress(address)) return UNWRITABLE
  const most = limit.mails(clock.now())
  if (smtp.taken >= most) smtp.close()
  const isLast = smtp.taken + 1 >= most || !next || !isWritableAddress(next.address)
  const sending: Sending = [
    { from, to: address, message: sheet.to(recipient) },
    isLast ? null : { from: next.from, to: next.address },
  ]
  let outcome: SendOutcome | SmtpLost
  try {
    outcome = await (smtp.ready(address) ?? (await smtp.connection(address))).send(...sending)
    smtp.worked(outcome.kind === 'accepted')
  } catch (error) {
    if (!(error instanceof SmtpLost && error.announced)) throw error
    outcome = error
  }
  const { taken } = smtp
  const isOver = outcome instanceof SmtpLost || outcome.kind === 'deferred'
  if (isOver && limit.isWorthAnother(taken)) return sendAgain({ clock, limit }, smtp, sending)
  if (outcome instanceof SmtpLost) throw outcome
  return outcome
}

/** @throws SmtpLost as the session before would have */
async function sendAgain(
  { clock, limit }: Pick<Sender, 'clock' | 'limit'>,
  smtp: SmtpWithBackOff,
  [mail]: Sending,
): Promise<SendOutcome> {
  const { taken } = smtp
  smtp.close()
  let isTaken = false
  try {
    const outcome = await (await smtp.connection(mail.to)).send(mail, null)
    isTaken = outcome.kind === 'accepted'
    smtp.worked(isTaken)
    return outcome
  } finally {
    limit.tried(isTaken ? 'taken' : 'not taken', taken, clock.now())
  }
}

/**
 * Whether a connection broke at this very mail before. A single break is no recipient's fault; after two, the mail waits as an
 * exception, so that it cannot hold up those behind it.
 */
function isRepeatedBreak(
  sender: Sender,
  error: unknown,
  { traderId, eventNo, recipient }: RecipientMail,
): boolean {
  if (!(error instanceof SmtpLost) || !error.unexplained) return false
  const key = `${traderId}.${eventNo}.${recipient.mailNo}`
  if (sender.suspects.delete(key)) return true
  // Only a memory for the next minutes: one that is too full is forgotten as a whole.
  if (sender.suspects.size > 1000) sender.suspects.clear()
  sender.suspects.add(key)
  return false
}

/**
 * Decides for the recipient of a mail that was not taken: another try, or the end (section 3.5, Delivery).
 * @param before tries and refusals so far, this one not included
 */
export function makeException(
  failure: Failure,
  before: { tries: number; refusals: number },
  now: Date,
): Exception {
  const { replyCode } = failure
  const tries = before.tries + 1
  // A refusal by policy is often over as soon as one for now: a block list that has just let us go, another rule.
  if (failure.kind === 'deferred' || failure.about === 'policy') {
    const retryAt = nextTry(tries - before.refusals, now, Math.random())
    return { state: retryAt ? 'retry' : 'failed', tries, refusals: before.refusals, retryAt, replyCode }
  }
  const refusals = before.refusals + 1
  const about = failure.about === 'address' ? 'address' : 'recipient'
  const retryAt = failure === UNWRITABLE ? null : nextTryAfterRefusal(refusals, about, now)
  return { state: retryAt ? 'retry' : 'refused', tries, refusals, retryAt, replyCode }
}

/** Counts a refusal against its recipient beyond this mail, when others confirm it. An address that cannot be written in SMTP needs no confirmation. */
export async function holdAgainstRecipient(
  sender: Sender,
  failure: Failure,
  mail: { traderId: string; eventNo: number; userId: string },
): Promise<void> {
  if (failure.kind !== 'refused') return
  const { replyCode, status, about } = failure
  const now = sender.clock.now()
  const refused = { ...mail, replyCode, status }
  if (failure === UNWRITABLE) return suppressAddress(sender.db, refused, now)
  if (about === 'address' || about === 'recipient') await holdRefusalAgainst(sender.db, refused, about, now)
  if (about === 'address') await notifyOfRefusedAddresses(sender, mail)
}

/** A mail was taken by a server that refused this recipient earlier: the refusals are forgotten. Never at the cost of a mail that is recorded. */
export async function forgetRefusals(sender: Sender, recipient: Recipient): Promise<void> {
  await deleteRefusals(sender.db, recipient.userId).catch((error: unknown) =>
    sender.log.warn({ reason: reasonOf(error) }, 'refusals of a recipient are not forgotten yet'),
  )
}

/** Holds a range back for a while under its lease; the sweep gives it back. */
export function park(sender: Sender, range: Range, milliseconds: number): void {
  sender.parked.push({ range, until: new Date(sender.clock.now().getTime() + milliseconds) })
}

/** Gives a range back at once, or as soon as the database takes it. */
export async function giveBack(sender: Sender, range: Range): Promise<void> {
  await sender.store.releaseRange(range).catch(() => park(sender, range, 0))
}

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

/** Mails the operator, once while it lasts, where the addresses of three followers or more are refused at one event. */
async function notifyOfRefusedAddresses(
  { clock, db }: Sender,
  event: { traderId: string; eventNo: number },
): Promise<void> {
  if ((await countRefusedAt(db, event)) < MANY_ADDRESSES) return
  await withTransaction(db, (tx) => notifyWhileItLasts(tx, ADDRESSES_REFUSED, ADDRESSES_NOTICE, clock.now()))
}

const ADDRESSES_NOTICE = {
  subject: 'several addresses of one position’s followers are refused',
  text: [
    'The mail server says of three followers of one position or more that their addresses do not exist. Where that is true, they are',
    'suppressed after a second refusal a day later; where the server has gone wrong, they have their mails within a quarter of an hour',
    'of its being right again, and nobody is suppressed.',
    '',
    '`npm run operator -- suppressions` lists who is; the log of the mail server says why.',
  ].join('\n'),
}
