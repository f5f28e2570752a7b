import { withTransaction } from '../platform/database.ts'
import { type Refusal, UNWRITABLE } from '../platform/smtp-outcome.ts'
import { withdrawRefusals } from './holds.queries.ts'
import type { DueRetry } from './leases.queries.ts'
import type { Exception } from './progress.queries.ts'
import { nextTryWhileRefused } from './retry-schedule.ts'
import { holdAgainstRecipient, makeException, type Sender, tryToDeliver } from './sender.ts'
import { findRecipients, type Recipient } from './sending.queries.ts'
import type { SmtpLine } from './smtp-line.ts'
import { forgetRefusals } from './suppressions.queries.ts'

const NO_FURTHER_TRY = { retryAt: null, replyCode: null }

/**
 * Mails recipients whose retry is due. Whoever unsubscribed or was suspended meanwhile is skipped.
 * @throws SmtpLost when the connection failed; what was not tried is given back
 */
export async function sendRetries(sender: Sender, line: SmtpLine, retries: DueRetry[]): Promise<void> {
  const waiting = [...retries]
  try {
    for (let retry = waiting[0]; retry && !sender.ended(); retry = waiting[0]) {
      await sender.ledger.settleRetry(retry, await sendAgain(sender, line, retry))
      waiting.shift()
    }
  } finally {
    if (waiting.length > 0) await sender.ledger.releaseRetries(waiting)
  }
}

async function sendAgain(sender: Sender, line: SmtpLine, retry: DueRetry): Promise<Exception> {
  const mail = await sender.mails.of(retry)
  const [recipient] = await findRecipients(sender.db, {
    traderId: retry.traderId,
    eventNo: retry.eventNo,
    after: retry.mailNo - 1,
    upTo: retry.mailNo,
  })
  if (!mail || !recipient)
    return { state: 'skipped', tries: retry.tries, refusals: retry.refusals, ...NO_FURTHER_TRY }
  const setback = await tryToDeliver(sender, line, { ...retry, mail, recipient })
  const now = sender.clock.now()
  if (!setback) {
    sender.window.taken(recipient.userId, now)
    if (recipient.refusedBefore) await forgetRefusals(sender.db, recipient.userId)
    return { state: 'sent', tries: retry.tries + 1, refusals: retry.refusals, ...NO_FURTHER_TRY }
  }
  const refusedUs = setback.kind === 'refused' && (await refusedUsSince(sender, retry, recipient, setback))
  if (refusedUs) {
    const retryAt = nextTryWhileRefused(refusedUs, now, Math.random())
    return {
      state: 'retry',
      tries: retry.tries,
      refusals: retry.refusals,
      retryAt,
      replyCode: setback.replyCode,
    }
  }
  await holdAgainstRecipient(sender, setback, { ...retry, userId: recipient.userId })
  return makeException(setback, retry, now)
}

/** Since when the server refuses everybody, which makes its refusal no try of this recipient's; null when it does not. */
async function refusedUsSince(
  { window, db, clock }: Sender,
  { traderId, eventNo, mailNo }: DueRetry,
  { userId }: Recipient,
  setback: Refusal,
): Promise<Date | null> {
  const now = clock.now()
  if (setback === UNWRITABLE) return null
  if (setback.about === 'sender') window.refusedUs(now)
  if (window.refusesUs) return window.refusesUs
  const earlier = window.refused({ traderId, eventNo, mailNo, userId }, now)
  if (earlier) {
    const retryAt = nextTryWhileRefused(now, now, Math.random())
    await withTransaction(db, (tx) => withdrawRefusals(tx, earlier, retryAt))
  }
  return window.refusesUs
}
