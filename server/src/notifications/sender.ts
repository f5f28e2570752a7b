import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database.ts'
import type { Log } from '../platform/log.ts'
import { type SendOutcome, SmtpLost, UNWRITABLE } from '../platform/smtp-outcome.ts'
import type { Bell } from './bell.ts'
import type { EventMails } from './event-mails.ts'
import type { Range } from './leases.queries.ts'
import type { Ledger } from './ledger.ts'
import { isWritableAddress, type MailTemplate } from './mail-template.ts'
import type { Exception } from './progress.queries.ts'
import { nextTry } from './retry-schedule.ts'
import type { Recipient } from './sending.queries.ts'
import type { SmtpLine } from './smtp-line.ts'

/** What the sending slots of one worker share. */
export type Sender = {
  db: Queryable
  clock: Clock
  log: Log
  ledger: Ledger
  mails: EventMails
  smtpUrl: string
  /** Envelope sender. */
  from: string
  bell: Bell
  /** Whether the slots must come to an end: the worker stops, or has lost its leases. */
  ended(): boolean
  /** Mails at which a connection broke without a word from the server; see `isRepeatedBreak`. */
  suspects: Set<string>
  /** Ranges that could not be worked on for a reason of ours; held back a while, so that others get their turn. */
  parked: { range: Range; until: Date }[]
}

/** A mail that was not taken; a break has no reply code. */
export type Setback = Exclude<SendOutcome, { kind: 'accepted' }> | { kind: 'deferred'; replyCode: null }

/** @throws SmtpLost */
export async function deliver(
  sender: Sender,
  line: SmtpLine,
  mail: MailTemplate,
  recipient: Recipient,
): Promise<SendOutcome> {
  if (!isWritableAddress(recipient.address)) return UNWRITABLE
  const connection = await line.connection()
  const outcome = await connection.send({
    from: sender.from,
    to: recipient.address,
    raw: mail.fill(recipient),
  })
  line.worked()
  return outcome
}

/**
 * Whether a connection broke at this very mail before. Once is no recipient's fault; twice, and the mail waits as an
 * exception, so that it cannot hold up those behind it.
 */
export function isRepeatedBreak(
  sender: Sender,
  error: unknown,
  mail: { traderId: string; eventNo: number; mailNo: number },
): boolean {
  if (!(error instanceof SmtpLost) || !error.unexplained) return false
  const key = `${mail.traderId}.${mail.eventNo}.${mail.mailNo}`
  if (sender.suspects.delete(key)) return true
  // Only a memory for the next minutes: one that is too full is forgotten as a whole.
  if (sender.suspects.size > 1000) sender.suspects.clear()
  sender.suspects.add(key)
  return false
}

/**
 * What a mail that was not taken means for its recipient: another try, or the end. Only a refused address is never
 * written to again; a refused message says nothing of the next one.
 * @param tries made so far, this one included
 */
export function makeException(outcome: Setback, recipient: Recipient, tries: number, now: Date): Exception {
  const { replyCode } = outcome
  if (outcome.kind === 'refused') {
    const suppress = outcome.address ? recipient.userId : null
    return { state: 'refused', tries, retryAt: null, replyCode, suppress }
  }
  const retryAt = nextTry(tries, now, Math.random())
  return { state: retryAt ? 'retry' : 'failed', tries, retryAt, replyCode, suppress: null }
}

/** Holds a range back for a while under its lease; the sweep gives it back. */
export function park(sender: Sender, range: Range, milliseconds: number): void {
  sender.parked.push({ range, until: new Date(sender.clock.now().getTime() + milliseconds) })
}

/** Gives a range back at once, or as soon as the database takes it. */
export async function giveBack(sender: Sender, range: Range): Promise<void> {
  await sender.ledger.releaseRange(range).catch(() => park(sender, range, 0))
}
