import type { EventReader } from '../../events/event-reader.ts'
import type { EventKey } from '../../events/events.queries.ts'
import { notifyOfDeliveries } from '../../platform/database/notify.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { cutRanges } from './audience.queries.ts'
import { lockPlan, recordPlanned } from './planning.queries.ts'

/** Recipients of a range: about half a second of one connection, so that no event waits longer for its turn. */
const RANGE_SIZE = 250
/** The first cut is small, so that the first mail need not wait for the ranges of a large audience. */
const FIRST_CUT = 10 * RANGE_SIZE
const NEXT_CUT = 100 * RANGE_SIZE

/**
 * Turns an event into ranges of its frozen audience, piece by piece, each piece a transaction. Safe to repeat and to
 * run by many at once: an event that is planned to its end stays as it is. Senders are notified of each piece.
 */
export async function planDeliveries(db: Queryable, event: EventKey, now: Date): Promise<void> {
  for (let size = FIRST_CUT; ; size = NEXT_CUT) {
    const { recipients, ended } = await planPiece(db, event, size, now)
    if (recipients > 0) await notifyOfDeliveries(db)
    if (ended) return
  }
}

/**
 * Plans the mails of every event that has followers (ADR 0034) but a settlement, of which nobody is mailed (ADR 0076), and a price that was
 * taken back with others, of which people are mailed together (ADR 0078).
 */
export function mailReader(db: Queryable): EventReader {
  return {
    name: 'mail',
    from: 'now',
    followersOnly: true,
    handle: (event, now) => planDeliveries(db, event, now),
  }
}

/** `ended`: nobody is left to plan. */
type Piece = { recipients: number; ended: boolean }

function planPiece(db: Queryable, event: EventKey, size: number, now: Date): Promise<Piece> {
  return withTransaction(db, async (tx) => {
    const plan = await lockPlan(tx, event)
    if (!plan) return { recipients: 0, ended: true }
    const part = { recipients: size, perRange: RANGE_SIZE }
    const recipients = plan.isMailed ? await cutRanges(tx, event, part, now) : 0
    const piece = { recipients, ended: recipients < size }
    await recordPlanned(tx, event, piece, now)
    return piece
  })
}
