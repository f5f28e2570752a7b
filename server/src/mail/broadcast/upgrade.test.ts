import type pg from 'pg'
import { expect, test } from 'vitest'
import { openEarlierDatabase, silentLog } from '../../../test/database.ts'
import { startDeliveryScenario } from '../../../test/delivery-scenario.ts'
import { addFollowers, type Crowd, makeCrowdTrader } from '../../../test/followers.ts'
import { migrate } from '../../platform/migrate.ts'

const NOW = '2026-03-04 15:00Z'

/** Three events of a trader as the version before leaves them when all its processes end at once. */
async function leaveAsBefore(pool: pg.Pool, { traderId }: Crowd): Promise<void> {
  await pool.query(`
    insert into positions (trader_id, id, symbol, hold_length, open_price, open_notes, opened_at, open_preview_id)
    select '${traderId}', ('00000000-0000-4000-8000-00000000000' || no)::uuid, 'STOCK' || no, 'less_than_one_week', 10,
      'Bought for a reason.', '${NOW}', gen_random_uuid() from generate_series(1, 3) as no;
    select setval('worker_numbers', 7);
    update traders set last_event_no = 3 where trader_id = '${traderId}';
    insert into position_events (trader_id, event_no, position_id, kind, created_at, planned_at, audience_size)
    select '${traderId}', no, ('00000000-0000-4000-8000-00000000000' || no)::uuid, 'opened', '${NOW}', planned, size
    from (values
      -- Planned, and under way.
      (1, '${NOW}'::timestamptz, 600),
      -- Not planned yet; its job waits.
      (2, null, null),
      -- Its planner died after the first piece.
      (3, null, 250)
    ) as event (no, planned, size);
    insert into delivery_ranges
      (trader_id, event_no, from_mail_no, to_mail_no, progress_mail_no, lease_owner, leased_at, done_at, created_at)
    select '${traderId}', event, from_no, to_no, progress, owner, leased, done, '${NOW}' from (values
      (1, 0, 250, 250, null::int, null::timestamptz, '${NOW}'::timestamptz),
      (1, 250, 500, 300, 7, '${NOW}', null),
      (1, 500, 600, 500, null, null, null),
      (3, 0, 250, 0, null, null, null)
    ) as range (event, from_no, to_no, progress, owner, leased, done);
    insert into delivery_exceptions
      (trader_id, event_no, mail_no, state, tries, refusals, retry_at, smtp_code, created_at, updated_at)
    values ('${traderId}', 1, 10, 'retry', 1, 0, '${NOW}', 451, '${NOW}', '${NOW}'),
      ('${traderId}', 1, 20, 'refused', 1, 1, null, 550, '${NOW}', '${NOW}')`)
  await pool.query(
    `select graphile_worker.add_job('position.announced', json_build_object('traderId', '${traderId}', 'eventNo', 2))`,
  )
}

test('what the version before has not delivered is delivered after the upgrade, and nothing twice', async () => {
  await using database = await openEarlierDatabase('0023')
  const maria = await makeCrowdTrader(database.pool, 'maria', new Date(NOW))
  const followers = await addFollowers(database.pool, maria, 600, new Date(NOW))
  await leaveAsBefore(database.pool, maria)
  await migrate(database.url, silentLog)

  await using scenario = await startDeliveryScenario({ database })
  await scenario.startWorker()
  await scenario.untilNothingIsLeft()
  // Of the first event those behind its progress, and the retry; of the others everybody.
  const ofFirst = (mailNo: number) => (mailNo > 300 || mailNo === 10 ? 1 : 0)
  expect(scenario.sink.byRecipient).toEqual(
    new Map(followers.map((address, index) => [address, 2 + ofFirst(index + 1)])),
  )
  const plans = await database.pool.query('select audience_size from mail_plans order by event_no')
  expect(plans.rows).toEqual([{ audience_size: 600 }, { audience_size: 600 }, { audience_size: 600 }])
  const jobs = await database.pool.query('select from graphile_worker._private_jobs')
  expect(jobs.rowCount).toBe(0)
})
