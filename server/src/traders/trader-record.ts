import { gainNumber } from '@tradepost/contract/gain'
import { keepsPlan } from '@tradepost/contract/kept-plan'
import { PLANS_MIN_ENDED_COUNT, WINS_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import type { TraderRecord } from '@tradepost/contract/traders'
import type { Queryable } from '../platform/database.ts'
import { findRecord, listActivePlans, type RecordRow } from './record.queries.ts'

const NOTHING_CLOSED: RecordRow = {
  closed: 0,
  wins: 0,
  kept: 0,
  average: null,
  median: null,
  best: null,
  worst: null,
  medianDaysHeld: null,
}

/**
 * The figures over a trader's closed positions (decision 0052). Of active ones only how many are past their plan counts, as plans
 * that are not kept.
 */
export async function readTraderRecord(db: Queryable, traderId: string, now: Date): Promise<TraderRecord> {
  const record = (await findRecord(db, traderId)) ?? NOTHING_CLOSED
  const overdue = (await listActivePlans(db, traderId)).filter((plan) => !keepsPlan(plan, now)).length
  const ended = record.closed + overdue
  return {
    closed: record.closed,
    wins: record.closed < WINS_MIN_CLOSED_COUNT ? null : { count: record.wins, of: record.closed },
    average: gainOrNull(record.average),
    median: gainOrNull(record.median),
    best: gainOrNull(record.best),
    worst: gainOrNull(record.worst),
    medianDaysHeld: record.medianDaysHeld === null ? null : Number(record.medianDaysHeld),
    plansKept: ended < PLANS_MIN_ENDED_COUNT ? null : { count: record.kept, of: ended },
  }
}

function gainOrNull(gain: string | null): number | null {
  return gain === null ? null : gainNumber(gain)
}
