import type { MailTemplate } from '../event-mails/mail-template.ts'
import { findRecipients } from '../plan/audience.queries.ts'
import { type Addressed, RecipientPage } from '../plan/recipient-page.ts'
import type { Range } from '../progress/leases.queries.ts'
import { giveBack, type Sender } from './sender.ts'

/** A range that was fetched ahead waits this long for the mails before it; then any loop may have it. */
const WAITS_MS = 2000

/** A leased range, and the data for sending it, which is being read. */
export type PreparedRange = { range: Range; contents: Promise<RangeContents> }

type RangeContents = {
  /** Null when the event went with its trader. */
  mail: MailTemplate | null
  recipients: RecipientPage
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
  const reading = findRecipients(sender.db, { traderId, eventNo, after, upTo }, sender.clock.now())
  const [mail, page] = await Promise.all([sender.mails.of(range), reading])
  const recipients = new RecipientPage(page)
  if (mail) recipients.senders = sender.from(mail, () => recipients.userIds())
  return { mail, recipients }
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
