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
