/** A peer: graphile-worker with a job a mail, fetched and completed in batches, and a pool of nodemailer. */
import { Logger, run, runMigrations } from 'graphile-worker'
import { makeDatabasePool } from '../../server/src/platform/database/database-client.ts'
import { contend } from './contender.ts'
import { makePool, send } from './send.ts'

const BATCH = 500

contend(async (task) => {
  const { databaseUrl: connectionString, mails, connections } = task
  const database = makeDatabasePool({ connectionString })
  await runMigrations({ pgPool: database })
  await database.query(
    `select graphile_worker.add_job('mail', json_build_object('index', index)) from generate_series(0, $1::int - 1) index`,
    [mails],
  )
  const pool = makePool(task)
  const all = Promise.withResolvers<void>()
  let sent = 0
  const runner = await run({
    pgPool: database,
    concurrency: connections,
    noHandleSignals: true,
    logger: new Logger(() => () => undefined),
    preset: { worker: { localQueue: { size: BATCH }, completeJobBatchDelay: 1 } },
    taskList: {
      async mail(payload) {
        await send(pool, (payload as { index: number }).index)
        sent += 1
        if (sent === mails) all.resolve()
      },
    },
  })
  await all.promise
  await runner.stop()
  pool.close()
  await database.end()
})
