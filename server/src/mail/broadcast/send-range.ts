import { reasonOf } from '../../platform/log.ts'
import { noteEventMailed } from '../../platform/metrics.ts'
import type { MailSheet } from '../event-mails/mail-sheet.ts'
import type { Addressed } from '../plan/recipient-page.ts'
import type { Range } from '../progress/leases.queries.ts'
import type { Progress } from '../progress/progress.queries.ts'
import type { FirstRefusal } from '../refusals/alike-refusals.ts'
import { nextTryWhileRefused } from '../refusals/retry-schedule.ts'
import type { SmtpWithBackOff } from '../refusals/smtp-with-back-off.ts'
import { SmtpLost, type SmtpRefusal, UNWRITABLE } from '../smtp/smtp-outcome.ts'
import { findEndedEvent } from './ended-events.queries.ts'
import { hold, takeBack } from './hold.ts'
import type { PreparedRange, RangeAhead } from './range-ahead.ts'
import {
  type Failure,
  forgetRefusals,
  giveBack,
  holdAgainstRecipient,
  makeException,
  type Sender,
  tryToDeliver,
} from './sender.ts'

/** So many refusals one after the other that may mean us, and the range waits; twice as many each time it has waited. */
const UNCONFIRMED = 3

const UNCONFIRMED_MAX = 50

/** So many mails before the end of a range the next one is fetched: in less time than they take. */
const FETCH_AHEAD = 16

const NO_TRIES = { tries: 0, refusals: 0 }

/** One pass through a leased range. */
type Pass = {
  sender: Sender
  smtp: SmtpWithBackOff
  range: Range
  sheet: MailSheet
  /** Recipients behind the range's progress who were refused, perhaps because of us: the next answers decide. */
  unconfirmed: RefusedMail[]
  /** Whether the server took a mail of this pass. */
  taken: boolean
  /** Mails of the range that the server took, in this pass and before. */
  sent: number
}

type RefusedMail = { recipient: Addressed; failure: SmtpRefusal }

/**
 * Mails a leased range over one connection, from where its progress ends. Each mail is noted before the next one is sent, so
 * the death of the process repeats at most one (ADR 0058). A recipient who is refused or deferred gets a separate row, and nobody behind
 * them waits. When the server refuses us rather than a recipient, the range waits where it is.
 * Gives the range back unfinished when the worker stops.
 * @param ahead fetches the range after this one, over the same connection; null when the next one is not to be chosen yet
 * @throws SmtpLost when the connection failed; the range is given back
 */
export async function sendRange(
  sender: Sender,
  smtp: SmtpWithBackOff,
  { range, contents }: PreparedRange,
  ahead: RangeAhead | null,
): Promise<void> {
  const { mail, recipients } = await contents
  if (!mail || recipients.count === 0) {
    await sender.store.advance({
      range,
      reached: range.to,
      sent: range.sent,
      done: true,
      at: sender.clock.now(),
    })
    void noteEndedEvent(sender, range)
    return
  }
  const pass: Pass = {
    sender,
    smtp,
    range,
    sheet: mail.sheet(),
    unconfirmed: [],
    taken: false,
    sent: range.sent,
  }
  let left = recipients.count
  for (let recipient = recipients.next(); recipient; recipient = recipients.next()) {
    if (sender.ended()) return giveBack(sender, range)
    if (left <= FETCH_AHEAD) ahead?.fetch()
    left -= 1
    const next = recipients.peek() ?? ahead?.first() ?? null
    if (!(await sendOne(pass, { recipient, next, isLast: left === 0 }))) return
  }
  void noteEndedEvent(sender, range)
}

type Turn = {
  recipient: Addressed
  /** The recipient that the connection mails after this one, or null when that is not known. */
  next: Addressed | null
  /** Whether this one is the last of the range. */
  isLast: boolean
}

/** @returns whether to go on: not when the range waits, or when somebody else has taken it up */
async function sendOne(pass: Pass, { recipient, next, isLast }: Turn): Promise<boolean> {
  const { sender, range } = pass
  const { window } = sender
  const refusedBefore = window.refusesUs !== null
  const { eventNo, traderId } = range
  const mail = { traderId, eventNo, sheet: pass.sheet, recipient }
  let failure: Failure | null
  try {
    failure = await tryToDeliver(sender, pass.smtp, mail, next)
  } catch (error) {
    if (error instanceof SmtpLost) await giveBack(sender, range)
    throw error
  }
  if (!failure) return taken(pass, recipient, isLast)
  if (failure.kind === 'refused' && failure.about === 'sender') return hold(sender, range, failure)
  if (failure.kind === 'refused' && mayMeanUs(sender, range, failure)) {
    pass.unconfirmed.push({ recipient, failure })
    return judgeUnconfirmed(pass, failure, isLast)
  }
  // A server that answers of one recipient in particular did not mean us with its refusals of others.
  const whileRefused = refusedBefore || window.refusesUs !== null
  return (await settleUnconfirmed(pass)) && settle(pass, { recipient, failure, isLast, whileRefused })
}

/** Records a mail that the server took before anything else: it must not be sent again. */
async function taken(pass: Pass, recipient: Addressed, isLast: boolean): Promise<boolean> {
  const { sender } = pass
  sender.window.taken(recipient.userId, recipient.address, sender.clock.now())
  pass.taken = true
  if (pass.unconfirmed.length > 0 && !(await settleUnconfirmed(pass))) return false
  pass.sent += 1
  if (!(await sender.store.advance(step(pass, recipient, isLast)))) return false
  if (recipient.refusedBefore) await forgetRefusals(sender, recipient)
  return true
}

/** A refusal by policy is as much ours as the recipient's until the server has taken a mail since. */
function mayMeanUs({ window }: Sender, { heldAt }: Range, failure: SmtpRefusal): boolean {
  if (failure === UNWRITABLE || (failure.about !== 'policy' && window.refusesUs === null)) return false
  return heldAt === null || window.lastTaken === null || window.lastTaken <= heldAt
}

/** The next recipients' answers decide; at the end of the range, those before. */
async function judgeUnconfirmed(pass: Pass, failure: SmtpRefusal, isLast: boolean): Promise<boolean> {
  const { sender, range, unconfirmed } = pass
  const enough = Math.min(UNCONFIRMED_MAX, UNCONFIRMED * 2 ** range.holds)
  if (unconfirmed.length < enough && !isLast) return true
  if (unconfirmed.length < enough && pass.taken) return settleUnconfirmed(pass, { closes: true })
  return hold(sender, range, failure)
}

/** Another answer has shown that the server did not refuse us: these recipients are tried again soon, and judged then. */
async function settleUnconfirmed(pass: Pass, { closes } = { closes: false }): Promise<boolean> {
  const refused = pass.unconfirmed.splice(0)
  const last = refused.at(-1)
  for (const one of refused) {
    const isLast = closes && one === last
    if (!(await settle(pass, { ...one, isLast, whileRefused: true }))) return false
  }
  return true
}

type Settled = {
  recipient: Addressed
  failure: Failure
  isLast: boolean
  /** Whether the server refused us at any moment between the mail and its answer. */
  whileRefused: boolean
}

/** Gives a recipient whose mail was not taken a separate row. @returns whether to go on */
function settle(pass: Pass, { recipient, failure, isLast, whileRefused }: Settled): Promise<boolean> {
  const { sender, range } = pass
  const { traderId, eventNo } = range
  const { userId, mailNo } = recipient
  const refusal = failure.kind === 'refused' && failure !== UNWRITABLE ? failure : null
  return sender.window.inTurn(async () => {
    const now = sender.clock.now()
    // Another connection has found out since this one was answered.
    if (refusal && sender.window.refusesUs) return hold(sender, range, refusal)
    // The server has taken a mail since: the next try shows which of the two it refused.
    const unsure = refusal !== null && whileRefused
    const judged: Failure = unsure ? { kind: 'deferred', replyCode: refusal.replyCode } : failure
    const one = { traderId, eventNo, mailNo, userId }
    const reply = replyOf(failure)
    const first = reply && { refusal: one, address: recipient.address, reply, isOld: unsure }
    const alike = first && sender.window.alike.refused(first, now)
    const until = alike && nextTryWhileRefused(alike.since, now, Math.random())
    const exception = until
      ? { ...makeException(judged, NO_TRIES, now), ...NO_TRIES, retryAt: until }
      : makeException(judged, NO_TRIES, now)
    const written = await sender.store.except(step(pass, recipient, isLast), mailNo, exception)
    if (!written) return false
    if (alike && until) await takeBack(sender, refusal, { noted: alike.takenBack, until })
    if (unsure) return true
    if (!alike) await holdAgainstRecipient(sender, failure, { traderId, eventNo, userId })
    const noted = refusal && sender.window.refused(one, now)
    return noted ? hold(sender, range, refusal, noted) : true
  })
}

/** The server's answer to the first try of a mail; null where it gave none. */
function replyOf(failure: Failure): FirstRefusal['reply'] | null {
  if (failure === UNWRITABLE || failure.replyCode === null) return null
  return failure.kind === 'refused' ? failure : { replyCode: failure.replyCode, status: null }
}

function step({ sender, range, sent }: Pass, { mailNo }: Addressed, isLast: boolean): Progress {
  return { range, reached: isLast ? range.to : mailNo, sent, done: isLast, at: sender.clock.now() }
}

/**
 * Counts and logs how long the mails of an event took, once a range of it has ended and no other is open. Two workers that end the last two
 * ranges in the same moment both count it. Nobody waits for it; the database has these figures in any case.
 */
async function noteEndedEvent({ clock, db, log }: Sender, { eventNo, traderId }: Range): Promise<void> {
  const now = clock.now()
  try {
    const [event] = await findEndedEvent(db, { traderId, eventNo })
    if (!event) return
    const seconds = (now.getTime() - event.publishedAt.getTime()) / 1000
    noteEventMailed(seconds)
    log.info({ traderId, eventNo, requestId: event.requestId, seconds }, 'the mails of an event have gone')
  } catch (error) {
    log.debug({ reason: reasonOf(error) }, 'the end of an event was not noted')
  }
}
