/**
 * The peer of a read: `pg` alone, saying the statements of the product again over ten connections, each waiting for its
 * answer, as pgbench does. `STATEMENTS` names a file of lists of conversations. `/<list>?seconds=` answers how many a second were had in that
 * time.
 */
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { prepareByText } from '../../server/src/platform/database/database.ts'
import { DatabaseClient } from '../../server/src/platform/database/database-client.ts'
import type { Conversation } from './record.ts'

const CONNECTIONS = 10

const lists = JSON.parse(readFileSync(process.env.STATEMENTS ?? '', 'utf8')) as Record<string, Conversation[]>
const clients = await Promise.all(
  Array.from({ length: CONNECTIONS }, async () => {
    const client = new DatabaseClient({ connectionString: process.env.DATABASE_URL })
    prepareByText(client)
    await client.connect()
    return client
  }),
)

async function rate(list: Conversation[], seconds: number): Promise<number> {
  let next = 0
  const began = performance.now()
  await Promise.all(
    clients.map(async (client) => {
      while (performance.now() < began + seconds * 1000) {
        const conversation = list[next % list.length] ?? []
        next += 1
        for (const { text, values } of conversation) await client.query(text, values)
      }
    }),
  )
  return (next / (performance.now() - began)) * 1000
}

const server = createServer(async (request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://bare')
  const list = lists[pathname.slice(1)] ?? []
  response.end(String(await rate(list, Number(searchParams.get('seconds')))))
})
server.listen(Number(process.env.PORT), '127.0.0.1', () => console.log('ready'))
