import { findUnfinished, writeUnfinished } from '../../events/events.queries.ts'
import { lockTraderSequence } from '../../events/trader-sequence.ts'
import { notifyOfEvents } from '../../platform/database/notify.ts'
import { type Queryable, withTransaction } from '../../platform/database/queryable.ts'
import type { Log } from '../../platform/log.ts'
import type { Sweep } from '../../platform/sweeps.ts'
import { consumePreviews } from '../../quotes/prices/quotes.queries.ts'
import { listPreviewsOf } from '../record/positions.queries.ts'
import { recountTrader } from '../record/recount-statistics.ts'

const DAY_MS = 86_400_000
/** A process that has just started looks as far back, for whatever the one before it died of. */
const FIRST_LOOK_MS = 7 * DAY_MS
/** Of one statement, which has four seconds. */
const PART_MS = DAY_MS / 4
/** Later looks overlap: clocks of several processes are not one. */
const OVERLAP_MS = 10 * 60_000

/**
 * Finishes what a crash has left half done where what traders publish is on other nodes than what is counted of them (ADR 0069):
 * there an event is committed before its number, its readers' work, the trader's statistics and the use of its price. On one PostgreSQL, where all of them
 * are one transaction, it finds nothing.
 */
export function keepPublishingWhole({ db, log }: { db: Queryable; log: Log }): Sweep {
  let looked: Date | null = null
  const run = async (now: Date) => {
    const since = looked === null ? now.getTime() - FIRST_LOOK_MS : looked.getTime() - OVERLAP_MS
    let mended = 0
    for (let from = since; from < now.getTime(); from += PART_MS) {
      const part = { after: new Date(from), until: new Date(Math.min(from + PART_MS, now.getTime())) }
      for (const traderId of await findUnfinished(db, part))
        if (await mendTrader(db, traderId, now)) mended += 1
    }
    looked = now
    if (mended > 0)
      log.warn({ sweep: 'publishing', traders: mended }, 'what a crash had left half published was mended')
  }
  return { name: 'publishing', run }
}

/** All writes are on one node, so they are whole or not there. @returns false when its own process has ended it meanwhile */
async function mendTrader(db: Queryable, traderId: string, now: Date): Promise<boolean> {
  const mended = await withTransaction(db, async (tx) => {
    const lastEventNo = await lockTraderSequence(tx, traderId)
    const positionIds = await writeUnfinished(tx, { traderId, lastEventNo })
    if (positionIds.length === 0) return false
    const previews = await listPreviewsOf(tx, { traderId, ids: positionIds })
    await consumePreviews(tx, { traderId, ids: previews }, now)
    await recountTrader(tx, traderId)
    return true
  })
  if (mended) await notifyOfEvents(db, { traderId, hasWork: true })
  return mended
}
