import { reasonOf } from '../../platform/log.ts'
import { noteEventMailed } from '../../platform/metrics.ts'
import type { MailSheet } from '../event-mails/mail-sheet.ts'
import type { MailTemplate } from '../event-mails/mail-template.ts'
import { findRecipients } from '../plan/audience.queries.ts'
import { type Addressed, RecipientPage } from '../plan/recipient-page.ts'
import type { Progress } from '../progress/progress.queries.ts'
import type { Range } from '../progress/range.ts'
import type { FirstRefusal } from '../refusals/alike-refusals.ts'
import { nextTryWhileRefused } from '../refusals/retry-schedule.ts'
import type { SmtpWithBackOff } from '../refusals/smtp-with-back-off.ts'
import { SmtpLost, type SmtpRefusal, UNWRITABLE } from '../smtp/smtp-outcome.ts'
import { findEndedEvent } from './ended-events.queries.ts'
import {
  type Failure,
  forgetRefusals,
  giveBack,
  hold,
  holdAgainstRecipient,
  makeException,
  type Sender,
  takeBack,
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
  /** When its recipients were read, for `Sender.stops`. */
  readAt: number
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
  const { mail, readAt, recipients } = await contents
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
    readAt,
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
    const turn = { recipient, next, isLast: left === 0 }
    const goesOn = (await hasStopped(pass, recipient))
      ? await passOver(pass, turn)
      : await sendOne(pass, turn)
    if (!goesOn) return
  }
  void noteEndedEvent(sender, range)
}

/** Whether somebody has stopped these mails since the recipients of the range were read. */
async function hasStopped({ range, readAt, sender }: Pass, { mailNo, userId }: Addressed): Promise<boolean> {
  if (!sender.stops.mayHaveStopped(userId, readAt)) return false
  const { eventNo, traderId } = range
  const one = { traderId, eventNo, after: mailNo - 1, upTo: mailNo }
  return (await findRecipients(sender.db, one, sender.clock.now())) === ''
}

/** Leaves out somebody who gets no mail. The next progress counts them in; behind the last one the range ends. @returns whether to go on */
async function passOver(pass: Pass, { isLast, recipient }: Turn): Promise<boolean> {
  if (!isLast) return true
  const refused = pass.unconfirmed.at(-1)
  if (refused) return judgeUnconfirmed(pass, refused.failure, true)
  return pass.sender.store.advance(step(pass, recipient, true))
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

/** A range that was fetched ahead waits this long for the mails before it; then any loop may have it. */
const WAITS_MS = 2000

/** A leased range, and the data for sending it, which is being read. */
export type PreparedRange = { range: Range; contents: Promise<RangeContents> }

type RangeContents = {
  /** Null when the event went with its trader. */
  mail: MailTemplate | null
  recipients: RecipientPage
  /** When they were read, for `Sender.stops`. */
  readAt: number
}

/**
 * Leases a range and begins to read the data for sending it.
 * @param options.idleEventsOnly leaves events alone of which any range is under way
 * @returns null when no range is free
 */
export async function prepareRange(
  sender: Sender,
  options: { idleEventsOnly: boolean },
): Promise<PreparedRange | null> {
  const range = await sender.store.leaseRange(options)
  if (!range) return null
  const contents = read(sender, range)
  // The caller that awaits it receives the failure; nobody awaits it when the range is given back earlier.
  contents.catch(() => undefined)
  return { range, contents }
}

async function read(sender: Sender, range: Range): Promise<RangeContents> {
  const { traderId, eventNo, progress: after, to: upTo } = range
  const readAt = sender.stops.mark()
  const reading = findRecipients(sender.db, { traderId, eventNo, after, upTo }, sender.clock.now())
  const [mail, page] = await Promise.all([sender.mails.of(range), reading])
  const recipients = new RecipientPage(page)
  if (mail) recipients.senders = sender.from(mail, () => recipients.userIds())
  return { mail, recipients, readAt }
}

/**
 * The next range of a loop, leased and read while the last mails of the one before are on their way: the connection has no
 * pause between two ranges, and an event with more ranges is never seen idle, which would let the reserved loop take it.
 */
export class RangeAhead {
  private readonly sender: Sender
  private fetching: Promise<PreparedRange | null> | null = null
  private fetched: PreparedRange | null = null
  private fetchedAt = 0
  private firstRecipient: Addressed | null = null

  constructor(sender: Sender) {
    this.sender = sender
  }

  /** Begins to fetch, unless it has begun. */
  fetch(): void {
    if (this.fetching || this.sender.ended()) return
    const fetching = prepareRange(this.sender, { idleEventsOnly: false })
    this.fetching = fetching
    // The loop that takes the range receives the failure.
    this.note(fetching).catch(() => undefined)
  }

  /** The recipient that will be mailed first, when that is known already. */
  first(): Addressed | null {
    return this.firstRecipient
  }

  private async note(fetching: Promise<PreparedRange | null>): Promise<void> {
    const fetched = await fetching
    if (!fetched || this.fetching !== fetching) return
    this.fetched = fetched
    this.fetchedAt = this.sender.clock.now().getTime()
    const { recipients } = await fetched.contents
    if (this.fetched === fetched) this.firstRecipient = recipients.peek()
  }

  /** @returns null when none was fetched. @throws the database's error for the lease */
  async take(): Promise<PreparedRange | null> {
    const { fetching } = this
    try {
      return await fetching
    } finally {
      // While it was waited for, the sweep may have given it back and another fetch may have begun.
      if (this.fetching === fetching) this.forget()
    }
  }

  /** Gives the fetched range back: the loop has to pause, or ends. */
  async giveBack(): Promise<void> {
    const prepared = await this.take().catch(() => null)
    if (prepared) await giveBack(this.sender, prepared.range)
  }

  /** Gives a range back that has waited too long behind a mail that the server does not answer. */
  async giveBackStale(now: Date): Promise<void> {
    const { fetched, fetchedAt } = this
    if (!fetched || now.getTime() - fetchedAt < WAITS_MS) return
    this.forget()
    await giveBack(this.sender, fetched.range)
  }

  private forget(): void {
    this.fetching = null
    this.fetched = null
    this.firstRecipient = null
  }
}
