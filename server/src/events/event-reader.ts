import type { PositionEvent } from './events.queries.ts'

/**
 * A part of the product that acts on every event of a position. Adding one touches no file of positions or mail: it is
 * defined in its own folder and registered with `startReaders` (ARCHITECTURE.md, "If you want to …").
 */
export type EventReader = {
  /** Stored with its work, so it is never changed. */
  name: string
  /** Which events it is given when it is registered for the first time. */
  from: 'now' | 'the first event'
  /** Whether it has nothing to do for an event that no follower is entitled to: it is not given those. */
  followersOnly?: true
  /** Does events that wait, of all traders, as soon as there are any; those that it leaves are given to `handle`. Never rejects. */
  handleUnleased?(): Promise<void>
  /** Whether mails of an event wait until it is done with it (`mail/progress/leases.queries.ts`). */
  beforeMails?: true
  /**
   * Does what the event asks for. Given at least once, so it is written to be repeated; a trader's events come in order,
   * those of different traders at the same time.
   * @param now the time of this try
   * @throws when it could not: the event comes again, after growing pauses
   */
  handle(event: PositionEvent, now: Date): Promise<void>
}
