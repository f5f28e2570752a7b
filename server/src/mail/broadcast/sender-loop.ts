import { reasonOf } from '../../platform/log.ts'
import { SmtpLost } from '../smtp/smtp-outcome.ts'
import type { Range } from './leases.queries.ts'
import { type PreparedRange, prepareRange, RangeAhead } from './range-ahead.ts'
import { sendRange } from './send-range.ts'
import { sendRetries } from './send-retries.ts'
import { park, type Sender } from './sender.ts'
import { connectWithBackOff, type SmtpWithBackOff } from './smtp-with-back-off.ts'

/** Retries that a loop takes at a time. The reserved loop takes fewer: a new event may need it at any moment. */
const RETRIES = 20
const RETRIES_RESERVED = 2
/** An SMTP connection without work is closed after this time. */
const IDLE_MS = 5000
/** A pause lasts by the product's clock, which tests move (decision G-80), so it looks at the clock this often. */
const CLOCK_LOOK_MS = 500
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
