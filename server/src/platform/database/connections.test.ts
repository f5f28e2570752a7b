import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../../test/database/database.ts'
import { startTcpProxy } from '../../../test/processes/tcp-proxy.ts'
import { openWorkerSession } from '../../work/worker-session.ts'
import { endInTime } from './connections.ts'
import { connectDatabase } from './database.ts'
import { isDatabaseUnavailable } from './database-errors.ts'
import { type Queryable, withTransaction } from './queryable.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())

async function connectThroughProxy(size: number) {
  const proxy = await startTcpProxy(database.url)
  const through = connectDatabase({ url: proxy.url, size, log: silentLog })
  return {
    ...through,
    proxy,
    async [Symbol.asyncDispose]() {
      await through.close()
      await proxy[Symbol.asyncDispose]()
    },
  }
}

/** The number asked for, from the database. */
async function echo(db: Queryable, number: number): Promise<number | undefined> {
  const { rows } = await sql<{ echo: number }>`select ${number}::int as echo`.execute(db)
  return rows[0]?.echo
}

const echoes = (db: Queryable, count: number) =>
  Promise.all(Array.from({ length: count }, (_, number) => echo(db, number)))

test.concurrent('connections that have gone silent cost one time-out, and none of them is used again', async ({
  expect,
}) => {
  await using through = await connectThroughProxy(4)
  await echoes(through.db, 4)
  await echo(through.pipelined, 1)
  expect(through.proxy.connections()).toBe(5)
  through.proxy.freeze()
  const failed = await Promise.allSettled([echo(through.db, 1), echo(through.pipelined, 1)])
  for (const attempt of failed) {
    expect(attempt.status).toBe('rejected')
    expect(isDatabaseUnavailable(attempt.status === 'rejected' && attempt.reason)).toBe(true)
  }
  // Each that was silent would answer with a time-out.
  expect(await echoes(through.db, 8)).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  expect(await echo(through.pipelined, 2)).toBe(2)
})

test.concurrent('a worker session that has gone silent takes those along that wait for work: the next read needs no time-out', async ({
  expect,
}) => {
  await using through = await connectThroughProxy(4)
  const { dropIdle, proxy } = through
  const session = await openWorkerSession({
    databaseUrl: proxy.url,
    dropIdle,
    channels: ['deliveries'],
    onNews: () => undefined,
  })
  await echoes(through.db, 4)
  proxy.freeze()
  await expect(session.run((client) => client.query('select 1'))).rejects.toThrow('timeout')
  await session.end()
  expect(await echoes(through.db, 4)).toEqual([0, 1, 2, 3])
})

test.concurrent('a transaction on a connection that has gone silent fails after one time-out, not after two', async ({
  expect,
}) => {
  await using through = await connectThroughProxy(1)
  const began = performance.now()
  const attempt = withTransaction(through.db, async (tx) => {
    await echo(tx, 1)
    through.proxy.freeze()
    await echo(tx, 2)
  })
  const error = await attempt.catch((reason: unknown) => reason)
  expect(isDatabaseUnavailable(error)).toBe(true)
  expect(performance.now() - began).toBeLessThan(7900)
  expect(await echo(through.db, 3)).toBe(3)
})

test.concurrent('connections that have gone silent do not keep a process from ending', async ({ expect }) => {
  const through = await connectThroughProxy(2)
  await echoes(through.db, 2)
  await echo(through.pipelined, 1)
  through.proxy.freeze()
  // It would wait for a goodbye for ever.
  await expect(through.close()).resolves.toBeUndefined()
  await through.proxy[Symbol.asyncDispose]()
})

test.concurrent('a statement that takes too long is answered by the server, and its connection goes on', async ({
  expect,
}) => {
  await using through = await connectThroughProxy(1)
  await echo(through.db, 1)
  const slow = sql`select pg_sleep(${10}::int)`.execute(through.db)
  await expect(slow).rejects.toMatchObject({ code: '57014' })
  expect(await echo(through.db, 2)).toBe(2)
  expect(through.proxy.connections()).toBe(1)
})

test('a connection that is being ended is not cut before its goodbye has been sent', async ({ expect }) => {
  const client = new pg.Client(database.url)
  client.on('error', () => undefined)
  await client.connect()
  const { stream } = (client as unknown as { connection: { stream: { destroyed: boolean } } }).connection
  const goodbye = Promise.withResolvers<void>()
  const ended = endInTime(goodbye.promise, [client])
  expect(stream.destroyed).toBe(false)
  goodbye.resolve()
  await ended
  expect(stream.destroyed).toBe(true)
})
