import { SmtpLost } from '../platform/smtp-outcome.ts'
import type { Range } from './leases.queries.ts'
import type { MailTemplate } from './mail-template.ts'
import type { Progress } from './progress.queries.ts'
import { deliver, giveBack, isRepeatedBreak, makeException, type Sender, type Setback } from './sender.ts'
import { findRecipients, type Recipient } from './sending.queries.ts'
import type { SmtpLine } from './smtp-line.ts'

/**
 * Mails a leased range over one connection, from where its progress ends. Each recipient is settled in the ledger
 * before the next is mailed, so a death repeats at most one mail. One who is refused or deferred gets a row of their
 * own, and nobody behind them waits. Gives the range back unfinished when the worker stops.
 * @throws SmtpLost when the connection failed; the range is given back
 */
export async function sendRange(sender: Sender, line: SmtpLine, range: Range): Promise<void> {
  const mail = await sender.mails.of(range)
  const { traderId, eventNo } = range
  const recipients = mail
    ? await findRecipients(sender.db, { traderId, eventNo, after: range.progress, upTo: range.to })
    : []
  const last = recipients.at(-1)
  for (const recipient of recipients) {
    if (sender.ended()) return giveBack(sender, range)
    const done = recipient === last
    const settled = await sendOne(sender, line, { range, mail: mail as MailTemplate, recipient, done })
    // Somebody else has taken the range up: they go on from the progress that they found.
    if (!settled) return
  }
  if (!last) await sender.ledger.advance(step(sender, range, { reached: range.to, sent: 0, done: true }))
}

type Turn = { range: Range; mail: MailTemplate; recipient: Recipient; done: boolean }

async function sendOne(sender: Sender, line: SmtpLine, turn: Turn): Promise<boolean> {
  const { range, recipient, done } = turn
  const setback = await tryToDeliver(sender, line, turn)
  const reached = done ? range.to : recipient.mailNo
  if (!setback) return sender.ledger.advance(step(sender, range, { reached, sent: 1, done }))
  const exception = makeException(setback, recipient, 1, sender.clock.now())
  return sender.ledger.except(
    step(sender, range, { reached: recipient.mailNo, sent: 0, done: false }),
    exception,
  )
}

async function tryToDeliver(sender: Sender, line: SmtpLine, turn: Turn): Promise<Setback | null> {
  const { range, mail, recipient } = turn
  try {
    const outcome = await deliver(sender, line, mail, recipient)
    return outcome.kind === 'accepted' ? null : outcome
  } catch (error) {
    const place = { ...range, mailNo: recipient.mailNo }
    if (isRepeatedBreak(sender, error, place)) return { kind: 'deferred', replyCode: null }
    if (error instanceof SmtpLost) await giveBack(sender, range)
    throw error
  }
}

function step(sender: Sender, range: Range, reached: Pick<Progress, 'reached' | 'sent' | 'done'>): Progress {
  return { range, ...reached, at: sender.clock.now() }
}
