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
  /**
   * Another reader that is to be done with an event before this one gets it. After `atMostMs` this reader gets it all the
   * same; while events of three or more traders wait for that other reader longer than this, it does not wait for it at all.
   */
  after?: { reader: string; atMostMs: number }
  /**
   * Does what the event asks for. Given at least once, so it is written to be repeated; a trader's events come in order,
   * those of different traders at the same time.
   * @param now the time of this try
   * @throws when it could not: the event comes again, after growing pauses
   */
  handle(event: PositionEvent, now: Date): Promise<void>
}
