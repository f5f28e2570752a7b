import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../test/database.ts'
import { openQueueConnection } from './queue-connection.ts'

test('a request for a connection after the end is answered with an error, and nothing is thrown at the process', async () => {
  await using database = await openTestDatabase()
  const connection = openQueueConnection(database.url, silentLog)
  await connection.close()
  const answers: unknown[][] = []
  // As the library does when it stops between two tries to listen.
  connection.pool.connect((error, client, release) => {
    release?.()
    answers.push([error?.message, client])
  })
  expect(answers).toEqual([['Cannot use a pool after calling end on the pool', undefined]])
})

test('a job is in hand until the database has recorded its end, and no longer', async () => {
  await using database = await openTestDatabase()
  const connection = openQueueConnection(database.url, silentLog)
  const client = await connection.pool.connect()
  for (const job of ['41', '42', '43']) connection.held.take(job)
  // The two statements by which the library records an end.
  await client.query({ name: 'complete_job/a', text: 'select $1::text', values: ['41'] })
  expect([...connection.held.ids]).toEqual(['42', '43'])
  await client.query({
    name: 'fail_job/a',
    text: 'select $1::text, $2::json',
    values: ['a queue', '[{"jobId":"42"}]'],
  })
  expect([...connection.held.ids]).toEqual(['43'])
  client.release()
  await connection.close()
})
