import { expect, test } from 'vitest'
import { openTestDatabase } from '../../test/database/database.ts'
import { makeCrowdTrader, publish } from '../../test/followers.ts'
import { startCountingSink } from '../../test/mails/counting-sink.ts'
import { copyProduct } from '../../test/processes/product-copy.ts'
import { startWorkerProcess } from '../../test/processes/worker-process.ts'
import { systemClock } from '../platform/clock.ts'
import { DatabaseClient } from '../platform/database/database-client.ts'

/** Its folder: an example that announces every event to programs that listen on the database. */
const READER = `import { sql } from 'kysely'
import type { EventReader } from '../events/event-reader.ts'
import type { Queryable } from '../platform/database/queryable.ts'

/** May announce an event twice, as every reader may be given one twice. */
export function announcer(db: Queryable): EventReader {
  return {
    name: 'announcer',
    from: 'the first event',
    handle: async ({ eventNo, kind }) => {
      await sql\`select pg_notify('announced', \${\`\${eventNo} \${kind}\`})\`.execute(db)
    },
  }
}
`

test('a new reader takes a folder and one registration, and is given what was published before it existed', async () => {
  using copy = copyProduct()
  copy.add('server/src/announcements/announcer.ts', READER)
  const worker = 'server/src/worker.ts'
  copy.edit(worker, 'import ', "import { announcer } from './announcements/announcer.ts'\nimport ")
  copy.edit(worker, 'pushReader(db)]', 'pushReader(db), announcer(db)]')
  copy.run('scripts/build-emails.ts')

  await using database = await openTestDatabase()
  const maria = await makeCrowdTrader(database.pool, 'maria', systemClock.now())
  await publish(database.db, maria, { symbol: 'AAPL' }, systemClock.now())
  const listener = new DatabaseClient({ connectionString: database.url })
  await listener.connect()
  const announced: (string | undefined)[] = []
  listener.on('notification', ({ payload }) => announced.push(payload))
  await listener.query('listen announced')

  const sink = await startCountingSink()
  const target = { databaseUrl: database.url, smtpUrl: sink.url, connections: 1, main: copy.main }
  const process = await startWorkerProcess(target)
  await expect.poll(() => announced).toEqual(['1 opened'])
  await publish(database.db, maria, { symbol: 'MSFT' }, systemClock.now())
  await expect.poll(() => announced).toEqual(['1 opened', '2 opened'])
  expect(await process.stop()).toBe(0)
  await sink.close()
  await listener.end()
})
