/**
 * Mails traders before a position of theirs becomes public (ADR 0086). A sweep over positions, which any number of workers may run: a
 * mail is queued in the transaction that notes it. Nothing else depends on it, so a position is public at its instant whatever becomes of the mail.
 */
import { queueMail } from '../../mail/outbox/queue-mail.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import { type Log, reasonOf } from '../../platform/log.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import type { PositionKey } from '../record/adjustments.queries.ts'
import { claimMail, listUnannounced } from './announce-public.queries.ts'

type Deps = { db: Queryable; log: Log }

const NAME = 'positions that become public'
/** Of a sweep, which has the next ones twenty seconds later. */
const POSITIONS_AT_ONCE = 500

export function announcePublic(deps: Deps): Sweep {
  return { name: NAME, run: (now) => announceDue(deps, now) }
}

async function announceDue(deps: Deps, now: Date): Promise<void> {
  for (const position of await listUnannounced(deps.db, { now, limit: POSITIONS_AT_ONCE }))
    await alone(deps, position, () => announce(deps.db, position, now))
}

/** A position that fails has the next sweep, and keeps none of the others. */
async function alone({ log }: Deps, { id }: PositionKey, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    log.warn({ sweep: NAME, positionId: id, reason: reasonOf(error) }, 'a position could not be announced')
  }
}

function announce(db: Queryable, key: PositionKey, now: Date): Promise<void> {
  return withTransaction(db, async (tx) => {
    const position = await claimMail(tx, key)
    if (!position) return
    const { holdLength, openPrice, openedAt, publicAt, symbol } = position
    const facts = {
      symbol,
      holdLength,
      openPrice,
      openedAt: openedAt.toISOString(),
      publicAt: publicAt.toISOString(),
      isPublic: publicAt <= now,
    }
    await queueMail(
      tx,
      { kind: 'position_public', userId: key.traderId, cause: `public:${key.id}`, facts },
      now,
    )
  })
}
