import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openTestDatabase, silentLog } from '../../test/database.ts'
import { connectDatabase } from './database.ts'
import { migrate } from './migrate.ts'

/** What PgBouncer takes at the start of a connection (pgbouncer.org/config.html, ignore_startup_parameters). */
const KNOWN = new Set([
  'user',
  'database',
  'client_encoding',
  'datestyle',
  'timezone',
  'standard_conforming_strings',
  'application_name',
])

/** Stands in front of a database and refuses connections as PgBouncer does. */
async function startRefusingPooler(target: string) {
  const { hostname, port } = new URL(target)
  const server = createServer((client) => {
    client.on('error', () => undefined)
    client.once('data', (start: Buffer) => {
      const unknown = parametersOf(start).find((name) => !KNOWN.has(name.toLowerCase()))
      if (unknown) return client.end(refusalOf(`unsupported startup parameter: ${unknown}`))
      const database = connect(Number(port), hostname, () => database.write(start))
      database.on('error', () => client.destroy())
      return client.pipe(database).pipe(client)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return { url: url.href, [Symbol.dispose]: () => void server.close() }
}

/** Names in a StartupMessage: a length, a version, then names and values that end with a zero (postgresql.org, message formats). */
function parametersOf(start: Buffer): string[] {
  const words = start.subarray(8).toString('utf8').split('\0')
  return words.filter((word, nth) => nth % 2 === 0 && word !== '')
}

function refusalOf(message: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0M${message}\0\0`)
  const head = Buffer.alloc(5)
  head.write('E')
  head.writeInt32BE(body.length + 4, 1)
  return Buffer.concat([head, body])
}

test('behind a pooler that refuses unknown startup parameters the product asks and writes', async () => {
  await using database = await openTestDatabase()
  using pooler = await startRefusingPooler(database.url)
  const pooled = connectDatabase({ url: pooler.url, size: 2, pooled: true, log: silentLog })
  const { rows } = await sql<{ one: number }>`select ${1}::int as one`.execute(pooled.db)
  expect(rows).toEqual([{ one: 1 }])
  const { rows: shared } = await sql<{ two: number }>`select ${2}::int as two`.execute(pooled.pipelined)
  expect(shared).toEqual([{ two: 2 }])
  await pooled.close()
  // Migrations go past it, and would pass through it as well.
  await migrate(pooler.url, silentLog)
})

test('without a pooler the server itself ends a statement that takes too long', async () => {
  await using database = await openTestDatabase()
  using pooler = await startRefusingPooler(database.url)
  const taken = connectDatabase({ url: pooler.url, size: 1, log: silentLog })
  await expect(sql`select 1`.execute(taken.db)).rejects.toThrow(
    'unsupported startup parameter: statement_timeout',
  )
  await taken.close()
  const limits = await database.product.pool.query('show statement_timeout')
  expect(limits.rows).toEqual([{ statement_timeout: '3500ms' }])
  // What a test sets up by itself takes as long as its machine needs.
  expect((await database.pool.query('show statement_timeout')).rows).toEqual([{ statement_timeout: '0' }])
})
