import { reasonOf } from '../platform/http/error-handler.ts'
import { SmtpLost } from '../platform/smtp-outcome.ts'
import type { Range } from './leases.queries.ts'
import { sendRange } from './send-range.ts'
import { sendRetries } from './send-retries.ts'
import { park, type Sender } from './sender.ts'
import { makeSmtpLine, type SmtpLine } from './smtp-line.ts'

/** Retries a slot takes at a time; the reserved slot fewer, since a new event may need it any moment. */
const RETRIES = 20
const RETRIES_RESERVED = 2
/** An idle connection is given back after this. */
const IDLE_MS = 5000
/** The clock can be moved (G-80): a pause looks at it this often. */
const CLOCK_LOOK_MS = 500
/** A range that fails for a reason of ours is held back so long; others go on. */
const PARKED_MS = 5000

export type Slot = { ended: Promise<void>; abandon(): void }

/**
 * One SMTP connection's worth of sending: takes a range, mails it, takes the next, until the sender ends.
 * @param options.reserved serves only events that nobody serves yet, and retries: a large event cannot occupy it
 */
export function startSlot(sender: Sender, options: { reserved: boolean }): Slot {
  const line = makeSmtpLine(sender)
  return { ended: run(sender, line, options.reserved), abandon: () => line.abandon() }
}

async function run(sender: Sender, line: SmtpLine, reserved: boolean): Promise<void> {
  while (!sender.ended()) {
    const heard = sender.bell.strokes()
    const pause = line.pause()
    if (pause > 0) {
      await sender.bell.wait(heard, Math.min(pause, CLOCK_LOOK_MS))
      continue
    }
    if (await workOnce(sender, line, reserved)) continue
    await sender.bell.wait(heard, line.open ? IDLE_MS : null)
    if (sender.bell.strokes() === heard) line.close()
  }
  line.close()
}

/** @returns false when there is nothing to do */
async function workOnce(sender: Sender, line: SmtpLine, reserved: boolean): Promise<boolean> {
  let range: Range | null = null
  try {
    range = await sender.ledger.leaseRange({ idleEventsOnly: reserved })
    if (range) {
      await sendRange(sender, line, range)
      return true
    }
    const retries = await sender.ledger.leaseRetries(reserved ? RETRIES_RESERVED : RETRIES)
    if (retries.length > 0) await sendRetries(sender, line, retries)
    return retries.length > 0
  } catch (error) {
    noteFailure(sender, line, error, range)
    return true
  }
}

function noteFailure(sender: Sender, line: SmtpLine, error: unknown, range: Range | null): void {
  if (error instanceof SmtpLost) {
    if (line.failed() === 1) sender.log.warn({ reason: error.message }, 'mails wait for the mail server')
    return
  }
  if (range) park(sender, range, PARKED_MS)
  else line.failed()
  if (!sender.ended()) sender.log.error({ reason: reasonOf(error) }, 'sending mails failed')
}
