import assert from 'node:assert/strict'
import { setTimeout as pause } from 'node:timers/promises'
import { recountStatistics } from '../../server/src/positions/record/recount-statistics.ts'
import { checkExactlyOnce, everybodyNotified } from '../faults/delivery-checks.ts'
import type { Room } from './fault-room.ts'

/** Of the trader: the published events, and the coordinator's state of them. */
const STATE = `select (select count(*)::int from positions where trader_id = $1) as positions,
  (select count(*)::int from position_events where trader_id = $1) as events`
const LOCAL_STATE = `select coalesce((select open_count::int from trader_stats where trader_id = $1), 0) as counted,
  (select last_event_no::int from traders where trader_id = $1) as "lastEventNo",
  (select count(*)::int from event_work where trader_id = $1) as "toDo",
  (select count(*)::int from mail_plans where trader_id = $1) as planned`

/**
 * Resolves when positions, events, statistics, numbers, every reader's work and mails agree, each mail sent once.
 * @param withinMs until they have to
 */
export async function awaitWhole(
  room: Room,
  { opened }: { opened: number },
  withinMs: number,
): Promise<void> {
  const { scenario } = room
  const wanted = {
    positions: opened,
    events: opened,
    counted: opened,
    lastEventNo: opened,
    toDo: 0,
    planned: opened,
  }
  const end = performance.now() + withinMs
  let seen: object = {}
  while (performance.now() < end) {
    seen = await look(room).catch(() => ({}))
    if (isSame(seen, wanted)) break
    await pause(50)
  }
  assert.deepEqual(seen, wanted)
  console.log('   figures and work agree')
  if (opened > 0) {
    await everybodyNotified(scenario, opened)
    await checkExactlyOnce(scenario, 0, { events: opened })
  } else assert.equal(scenario.sink.total(), 0)
  assert.equal(await recountStatistics(scenario.database.db), 0)
}

/** @returns the trader's counts on the nodes and on the coordinator */
export async function look({ scenario, trader: { userId } }: Room): Promise<Record<string, number>> {
  const { pool } = scenario.database
  const [distributed, local] = [await pool.query(STATE, [userId]), await pool.query(LOCAL_STATE, [userId])]
  return { ...distributed.rows[0], ...local.rows[0] }
}

function isSame(seen: object, wanted: object): boolean {
  return JSON.stringify(seen) === JSON.stringify(wanted)
}
