import { gainNumber } from '@tradepost/contract/gain'
import { keepsPlan } from '@tradepost/contract/kept-plan'
import { PLANS_MIN_ENDED_COUNT, WINS_MIN_CLOSED_COUNT } from '@tradepost/contract/limits'
import type { TraderProfile, TraderRecord } from '@tradepost/contract/traders'
import type { Queryable } from '../platform/database.ts'
import { isSpread } from '../platform/layout.ts'
import { findRecord, findSpreadRecord, type RecordRow } from './record.queries.ts'

/** A trader's record, and their latest closed positions, which are read with it. */
export type TraderFigures = { record: TraderRecord; latest: TraderProfile['latestPositions'] }

/**
 * The figures over a trader's closed positions (decision 0052). Of active ones only how many are past their plan counts, as plans
 * that are not kept.
 */
export async function readTraderRecord(db: Queryable, traderId: string, now: Date): Promise<TraderFigures> {
  const row = await ((await isSpread(db)) ? findSpreadRecord(db, traderId) : findRecord(db, traderId))
  if (!row) throw new Error('a record that was asked for is not answered')
  const plans = row.plans.map(([openedAt, holdLength]) => ({ openedAt: new Date(openedAt), holdLength }))
  const overdue = plans.filter((plan) => !keepsPlan(plan, now)).length
  const latest = row.latest.map(({ symbol, openedAt, closedAt, percentageGain, companyName }) => ({
    symbol,
    opened: new Date(openedAt).toISOString(),
    closed: new Date(closedAt).toISOString(),
    percentageGain: gainNumber(percentageGain),
    ...(companyName === null ? {} : { companyName }),
  }))
  return { record: presentRecord(row, overdue), latest }
}

function presentRecord(record: RecordRow, overdue: number): TraderRecord {
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
