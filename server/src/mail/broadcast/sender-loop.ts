import { reasonOf } from '../../platform/log.ts'
import { findRecipients } from '../plan/audience.queries.ts'
import { type Recipient, RecipientPage } from '../plan/recipient-page.ts'
import type { Exception } from '../progress/progress.queries.ts'
import type { DueRetry, Range } from '../progress/range.ts'
import { EXCUSED_MS } from '../refusals/alike-refusals.ts'
import { nextTryWhileRefused } from '../refusals/retry-schedule.ts'
import { connectWithBackOff, type SmtpWithBackOff } from '../refusals/smtp-with-back-off.ts'
import { SmtpLost, UNWRITABLE } from '../smtp/smtp-outcome.ts'
import { type PreparedRange, prepareRange, RangeAhead, sendRange } from './send-range.ts'
import {
  type Failure,
  forgetRefusals,
  holdAgainstRecipient,
  makeException,
  park,
  refusedUs,
  type Sender,
  tryToDeliver,
} from './sender.ts'

const NO_FURTHER_TRY = { retryAt: null, replyCode: null }

type Again = {
  retry: DueRetry
  recipient: Recipient
  failure: Failure
  /** Whether the server refused us at any moment between the mail and its answer. */
  whileRefused: boolean
}

/** Retries that a loop takes at a time. The reserved loop takes fewer: a new event may need it at any moment. */
const RETRIES = 20

const RETRIES_RESERVED = 2

/** An SMTP connection without work is closed after this time. */
const IDLE_MS = 5000

/** A pause lasts by the product's clock, which tests move (rule G-80), so it looks at the clock this often. */
const CLOCK_LOOK_MS = 500

/** Nothing tells of ranges that have waited long enough for the receipts of their mails: a loop that has nothing to do looks so often. */
const RECEIPT_LOOK_MS = 250

/** How long a range is set aside after a fault of the product itself; the loops go on with other ranges. */
const PARKED_MS = 5000

/** `ended` resolves when the loop has ended; `abandon` hangs up at once, in the middle of a mail if need be. */
export type SenderLoop = { ended: Promise<void>; abandon(): void }

/**
 * Sends over one SMTP connection: takes a range, mails it and takes the next one, until the sender ends.
 * @param options.reserved takes only ranges of events that no other loop is sending, and retries, so that a large event
 *   cannot occupy every connection. The other loops fetch their next range ahead
 */
export function startSenderLoop(sender: Sender, options: { reserved: boolean }): SenderLoop {
  const smtp = connectWithBackOff(sender)
  const ahead = options.reserved ? null : new RangeAhead(sender)
  if (ahead) sender.ahead.push(ahead)
  return { ended: run(sender, smtp, ahead), abandon: () => smtp.abandon() }
}

async function run(sender: Sender, smtp: SmtpWithBackOff, ahead: RangeAhead | null): Promise<void> {
  while (!sender.ended()) {
    const seen = sender.wakeUp.version()
    const pause = smtp.pause()
    if (pause > 0) {
      await ahead?.giveBack()
      await sender.wakeUp.waitBeyond(seen, Math.min(pause, CLOCK_LOOK_MS))
      continue
    }
    if (await workOnce(sender, smtp, ahead)) continue
    if (sender.store.awaitsReceipts()) {
      await sender.wakeUp.waitBeyond(seen, RECEIPT_LOOK_MS)
      continue
    }
    await sender.wakeUp.waitBeyond(seen, smtp.open ? IDLE_MS : null)
    if (sender.wakeUp.version() === seen) smtp.close()
  }
  await ahead?.giveBack()
  smtp.close()
}

/** Sends one range or a few retries. @returns false when there was nothing to do */
async function workOnce(sender: Sender, smtp: SmtpWithBackOff, ahead: RangeAhead | null): Promise<boolean> {
  let prepared: PreparedRange | null = null
  try {
    prepared = (await ahead?.take()) ?? (await prepareRange(sender, { idleEventsOnly: ahead === null }))
    if (prepared) {
      await sendRange(sender, smtp, prepared, ahead)
      return true
    }
    const retries = await sender.store.leaseRetries(ahead ? RETRIES : RETRIES_RESERVED)
    if (retries.length > 0) await sendRetries(sender, smtp, retries)
    return retries.length > 0
  } catch (error) {
    noteFailure(sender, smtp, error, prepared?.range ?? null)
    return true
  }
}

function noteFailure(sender: Sender, smtp: SmtpWithBackOff, error: unknown, range: Range | null): void {
  if (error instanceof SmtpLost) {
    if (smtp.failed() === 1) sender.log.warn({ reason: error.message }, 'mails wait for the mail server')
    return
  }
  if (range) park(sender, range, PARKED_MS)
  else smtp.failed()
  const event = range && { traderId: range.traderId, eventNo: range.eventNo }
  if (!sender.ended()) sender.log.error({ ...event, reason: reasonOf(error) }, 'sending mails failed')
}

/**
 * Mails recipients whose retry is due. People who unsubscribed or were suspended meanwhile are skipped.
 * @throws SmtpLost when the connection failed; retries that were not tried are given back
 */
async function sendRetries(sender: Sender, smtp: SmtpWithBackOff, retries: DueRetry[]): Promise<void> {
  const waiting = [...retries]
  try {
    for (let retry = waiting[0]; retry && !sender.ended(); retry = waiting[0]) {
      await sendAgain(sender, smtp, retry)
      waiting.shift()
    }
  } finally {
    if (waiting.length > 0) await sender.store.releaseRetries(waiting)
  }
}

async function sendAgain(sender: Sender, smtp: SmtpWithBackOff, retry: DueRetry): Promise<void> {
  const { store, window, clock } = sender
  const { tries, refusals } = retry
  const mail = await sender.mails.of(retry)
  const { eventNo, mailNo, traderId } = retry
  const one = { traderId, eventNo, after: mailNo - 1, upTo: mailNo }
  const found = new RecipientPage(await findRecipients(sender.db, one, clock.now()))
  if (mail) found.senders = sender.from(mail, () => found.userIds())
  const recipient = found.next()
  if (!mail || !recipient) {
    await store.settleRetry(retry, { state: 'skipped', tries, refusals, ...NO_FURTHER_TRY })
    return
  }
  const refusedBefore = window.refusesUs !== null
  const failure = await tryToDeliver(sender, smtp, { traderId, eventNo, sheet: mail.sheet(), recipient })
  const whileRefused = refusedBefore || window.refusesUs !== null
  if (failure) return settleFailure(sender, { retry, recipient, failure, whileRefused })
  window.taken(recipient.userId, recipient.address, clock.now())
  await store.settleRetry(retry, { state: 'sent', tries: tries + 1, refusals, ...NO_FURTHER_TRY })
  if (recipient.refusedBefore) await forgetRefusals(sender, recipient)
}

function settleFailure(sender: Sender, { retry, recipient, failure, whileRefused }: Again): Promise<void> {
  const { store, window, clock } = sender
  const { traderId, eventNo, mailNo } = retry
  const { userId } = recipient
  return window.inTurn(async () => {
    const now = clock.now()
    const isYoung = now.getTime() - retry.createdAt.getTime() < EXCUSED_MS
    const alikeSince = isYoung ? window.alike.since(recipient.address, now) : null
    if (alikeSince && failure.kind === 'deferred' && failure.replyCode !== null) {
      const until = nextTryWhileRefused(alikeSince, now, Math.random())
      await store.settleRetry(retry, excused(retry, failure.replyCode, until))
      return
    }
    if (failure.kind === 'deferred' || failure === UNWRITABLE) {
      await store.settleRetry(retry, makeException(failure, retry, now))
      return holdAgainstRecipient(sender, failure, { traderId, eventNo, userId })
    }
    if (failure.about === 'sender') window.refusedUs(now)
    const since = window.refusesUs
    if (since && (failure.about === 'sender' || now.getTime() - since.getTime() < EXCUSED_MS)) {
      const until = nextTryWhileRefused(since, now, Math.random())
      await store.settleRetry(retry, excused(retry, failure.replyCode, until))
      return refusedUs(sender, failure, { noted: [], until })
    }
    // The server has taken a mail since: the next try shows which of the two it refused.
    if (alikeSince || (!since && whileRefused)) {
      const until = nextTryWhileRefused(alikeSince ?? now, now, Math.random())
      await store.settleRetry(retry, excused(retry, failure.replyCode, until))
      return
    }
    await store.settleRetry(retry, makeException(failure, retry, now))
    await holdAgainstRecipient(sender, failure, { traderId, eventNo, userId })
    const noted = window.refused({ traderId, eventNo, mailNo, userId }, now)
    if (noted)
      await refusedUs(sender, failure, { noted, until: nextTryWhileRefused(now, now, Math.random()) })
  })
}

/** The server refuses everybody: that is no try of this recipient's. */
function excused({ tries, refusals }: DueRetry, replyCode: number, retryAt: Date): Exception {
  return { state: 'retry', tries, refusals, retryAt, replyCode }
}
