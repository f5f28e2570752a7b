import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { openTestDatabase } from '../../../test/database/database.ts'
import { makePipelinedConnection } from './pipelined-connection.ts'
import { withTransaction } from './queryable.ts'

const database = await openTestDatabase()
afterAll(() => database[Symbol.asyncDispose]())
const { pipelined } = database

/** A hundred divided, and who did it. */
async function share(of: number): Promise<{ share: number; pid: number }> {
  const { rows } = await sql<{ share: number; pid: number }>`
    select 100 / ${of}::int as share, pg_backend_pid() as pid`.execute(pipelined)
  if (!rows[0]) throw new Error('no row')
  return rows[0]
}

test('everybody gets their own answer over one connection, and the fault of one is theirs alone', async () => {
  const asked = Array.from({ length: 300 }, (_, index) => index % 7)
  const answers = await Promise.allSettled(asked.map(share))
  const given = answers.map((answer) => (answer.status === 'fulfilled' ? answer.value.share : 'refused'))
  expect(given).toEqual(asked.map((of) => (of === 0 ? 'refused' : Math.trunc(100 / of))))
  const pids = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.pid] : []))
  expect(new Set(pids).size).toBe(1)
})

test('after the connection was lost the next statement opens another', async () => {
  const { pid } = await share(1)
  const waiting = sql`select pg_sleep(${60}::int)`.execute(pipelined)
  const behind = share(1)
  const lost = Promise.allSettled([waiting, behind])
  await database.pool.query('select pg_terminate_backend($1::int)', [pid])
  expect((await lost).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  const again = await share(2)
  expect(again.share).toBe(50)
  expect(again.pid).not.toBe(pid)
})

test('at the end the connection is closed, so that the database does not hold it for nobody', async () => {
  const own = makePipelinedConnection({ connectionString: database.url }, () => undefined)
  const { processID: pid } = (await own.connect()) as unknown as { processID: number }
  const isOpen = async () => {
    const { rowCount } = await database.pool.query('select from pg_stat_activity where pid = $1', [pid])
    return rowCount === 1
  }
  expect(await isOpen()).toBe(true)
  await own.end()
  await expect.poll(isOpen).toBe(false)
})

test('a transaction would take in the statements of others and is refused', async () => {
  await expect(withTransaction(pipelined, async () => 'done')).rejects.toThrow('no transaction')
  expect((await share(1)).share).toBe(100)
})
