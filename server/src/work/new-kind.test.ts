import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database/database.ts'
import { startCountingSink } from '../../test/mails/counting-sink.ts'
import { copyProduct } from '../../test/processes/product-copy.ts'
import { startWorkerProcess } from '../../test/processes/worker-process.ts'
import { DatabaseClient } from '../platform/database/database-client.ts'
import { insertJob } from './jobs.queries.ts'

/** Its file: an example that greets somebody once, later. */
const GREETING = `import { sql } from 'kysely'
import * as z from 'zod'
import type { Queryable } from '../platform/database/queryable.ts'
import { defineJob, defineTask } from '../work/jobs.ts'

export const greet = defineJob('greet', z.object({ name: z.string() }))

/** May greet twice, as every job may run twice. */
export function greetTask(db: Queryable) {
  return defineTask(greet, async ({ name }) => {
    if (name === 'nobody') throw new Error('there is nobody')
    await sql\`select pg_notify('greeted', \${name})\`.execute(db)
  })
}
`

test('a new kind of durable work takes a file and a line: it is done, what fails is kept and named, and a dead worker’s is done by the next', async () => {
  using copy = copyProduct()
  copy.add('server/src/greetings/greet.task.ts', GREETING)
  const worker = 'server/src/worker.ts'
  copy.edit(worker, 'import ', "import { greetTask } from './greetings/greet.task.ts'\nimport ")
  copy.edit(worker, 'defineTask(purge,', 'greetTask(db), defineTask(purge,')
  copy.run('scripts/build-emails.ts')

  await using database = await openTestDatabase()
  const listener = new DatabaseClient({ connectionString: database.url })
  await listener.connect()
  const greeted: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => greeted.push(payload))
  await listener.query('listen greeted')
  const ask = (name: string) =>
    insertJob(database.db, { name: 'greet', key: name, facts: JSON.stringify({ name }), mostTries: 3 })
  const left = async () => {
    const { rows } = await database.pool.query(
      "select key, tries, fault, parked_at is not null as parked from work where name = 'greet' order by key",
    )
    return rows
  }

  const sink = await startCountingSink()
  const target = { databaseUrl: database.url, smtpUrl: sink.url, connections: 1, main: copy.main }
  // The lease of a worker that died with it in hand: no living worker has this number.
  await ask('maria')
  await database.pool.query(
    "update work set lease_owner = 2000000000, leased_at = now() where name = 'greet'",
  )
  const process = await startWorkerProcess(target)
  await expect.poll(() => greeted).toEqual(['maria'])
  await ask('nobody')
  await ask('jose')
  await expect.poll(() => greeted).toEqual(['maria', 'jose'])
  // Tried as often as the job allows, with pauses, and then kept for an operator.
  await expect
    .poll(left)
    .toEqual([{ key: 'nobody', tries: 3, fault: expect.stringContaining('there is nobody'), parked: true }])
  expect(await process.stop()).toBe(0)
  await sink.close()
  await listener.end()
})
