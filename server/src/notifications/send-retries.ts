import type { DueRetry } from './leases.queries.ts'
import type { Exception } from './progress.queries.ts'
import { deliver, isRepeatedBreak, makeException, type Sender } from './sender.ts'
import { findRecipients } from './sending.queries.ts'
import type { SmtpLine } from './smtp-line.ts'

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
  if (!mail || !recipient) return settled('skipped', retry.tries)
  const tries = retry.tries + 1
  try {
    const outcome = await deliver(sender, line, mail, recipient)
    if (outcome.kind === 'accepted') return settled('sent', tries)
    return makeException(outcome, recipient, tries, sender.clock.now())
  } catch (error) {
    if (!isRepeatedBreak(sender, error, retry)) throw error
    return makeException({ kind: 'deferred', replyCode: null }, recipient, tries, sender.clock.now())
  }
}

function settled(state: 'sent' | 'skipped', tries: number): Exception {
  return { state, tries, retryAt: null, replyCode: null, suppress: null }
}
