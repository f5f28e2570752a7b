import { UNWRITABLE } from '../smtp/smtp-outcome.ts'
import { EXCUSED_MS } from './alike-refusals.ts'
import { findRecipients } from './audience.queries.ts'
import { refusedUs } from './hold.ts'
import type { DueRetry } from './leases.queries.ts'
import type { Exception } from './progress.queries.ts'
import { type Recipient, RecipientPage } from './recipient-page.ts'
import { nextTryWhileRefused } from './retry-schedule.ts'
import {
  forgetRefusals,
  holdAgainstRecipient,
  makeException,
  type Sender,
  type Setback,
  tryToDeliver,
} from './sender.ts'
import type { SmtpWithBackOff } from './smtp-with-back-off.ts'

const NO_FURTHER_TRY = { retryAt: null, replyCode: null }

/**
 * Mails recipients whose retry is due. People who unsubscribed or were suspended meanwhile are skipped.
 * @throws SmtpLost when the connection failed; what was not tried is given back
 */
export async function sendRetries(sender: Sender, smtp: SmtpWithBackOff, retries: DueRetry[]): Promise<void> {
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
  const setback = await tryToDeliver(sender, smtp, { traderId, eventNo, sheet: mail.sheet(), recipient })
  const whileRefused = refusedBefore || window.refusesUs !== null
  if (setback) return settleSetback(sender, { retry, recipient, setback, whileRefused })
  window.taken(recipient.userId, recipient.address, clock.now())
  await store.settleRetry(retry, { state: 'sent', tries: tries + 1, refusals, ...NO_FURTHER_TRY })
  if (recipient.refusedBefore) await forgetRefusals(sender, recipient)
}

type Again = {
  retry: DueRetry
  recipient: Recipient
  setback: Setback
  /** Whether the server refused us at any moment between the mail and its answer. */
  whileRefused: boolean
}

function settleSetback(sender: Sender, { retry, recipient, setback, whileRefused }: Again): Promise<void> {
  const { store, window, clock } = sender
  const { traderId, eventNo, mailNo } = retry
  const { userId } = recipient
  return window.inTurn(async () => {
    const now = clock.now()
    const isYoung = now.getTime() - retry.createdAt.getTime() < EXCUSED_MS
    const alikeSince = isYoung ? window.alike.since(recipient.address, now) : null
    if (alikeSince && setback.kind === 'deferred' && setback.replyCode !== null) {
      const until = nextTryWhileRefused(alikeSince, now, Math.random())
      await store.settleRetry(retry, excused(retry, setback.replyCode, until))
      return
    }
    if (setback.kind === 'deferred' || setback === UNWRITABLE) {
      await store.settleRetry(retry, makeException(setback, retry, now))
      return holdAgainstRecipient(sender, setback, { traderId, eventNo, userId })
    }
    if (setback.about === 'sender') window.refusedUs(now)
    const since = window.refusesUs
    if (since && (setback.about === 'sender' || now.getTime() - since.getTime() < EXCUSED_MS)) {
      const until = nextTryWhileRefused(since, now, Math.random())
      await store.settleRetry(retry, excused(retry, setback.replyCode, until))
      return refusedUs(sender, setback, { noted: [], until })
    }
    // It has taken a mail since: what it meant, the next try tells.
    if (alikeSince || (!since && whileRefused)) {
      const until = nextTryWhileRefused(alikeSince ?? now, now, Math.random())
      await store.settleRetry(retry, excused(retry, setback.replyCode, until))
      return
    }
    await store.settleRetry(retry, makeException(setback, retry, now))
    await holdAgainstRecipient(sender, setback, { traderId, eventNo, userId })
    const noted = window.refused({ traderId, eventNo, mailNo, userId }, now)
    if (noted)
      await refusedUs(sender, setback, { noted, until: nextTryWhileRefused(now, now, Math.random()) })
  })
}

/** The server refuses everybody: that is no try of this recipient's. */
function excused({ tries, refusals }: DueRetry, replyCode: number, retryAt: Date): Exception {
  return { state: 'retry', tries, refusals, retryAt, replyCode }
}
