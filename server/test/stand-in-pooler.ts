import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

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

/** A pooler's port in front of a database. */
export type StandInPooler = Disposable & { url: string }

/**
 * Stands in front of a database and refuses connections as PgBouncer does.
 * @param options.forgets whether it also keeps no prepared statements from one transaction to the next, as before its version 1.21
 */
export async function startStandInPooler(
  target: string,
  { forgets }: { forgets: boolean },
): Promise<StandInPooler> {
  const { hostname, port } = new URL(target)
  const server = createServer((client) => {
    client.on('error', () => undefined)
    client.once('data', (start: Buffer) => {
      const unknown = parametersOf(start).find((name) => !KNOWN.has(name.toLowerCase()))
      if (unknown) return client.end(refusalOf(`unsupported startup parameter: ${unknown}`))
      const database = connect(Number(port), hostname, () => database.write(start))
      database.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('close', () => database.destroy())
      return forgets ? passForgetting(client, database) : client.pipe(database).pipe(client)
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

const refusalOf = (message: string) => messageOf('E', `SFATAL\0C08P01\0M${message}\0\0`)

/** A message of the protocol: its kind, the length of what follows, and that. */
function messageOf(kind: string, body: string): Buffer {
  const head = Buffer.alloc(5)
  head.write(kind)
  head.writeInt32BE(Buffer.byteLength(body) + 4, 1)
  return Buffer.concat([head, Buffer.from(body)])
}

/** Passes on one round at a time, what a client says until it waits, and has the server forget after each that ends outside a transaction. */
function passForgetting(client: Socket, database: Socket): void {
  const waiting: Buffer[] = []
  let round: Buffer[] = []
  let isBusy = true
  let isForgetting = false
  let isOpen = false
  const next = () => {
    const said = waiting.shift()
    isBusy = said !== undefined
    if (said) database.write(said)
  }
  const hear = splitter((kind, message) => {
    if (!isOpen) return void database.write(message)
    round.push(message)
    // A simple query, the end of an extended one, and a goodbye.
    if (!['Q', 'S', 'X'].includes(kind)) return
    waiting.push(Buffer.concat(round))
    round = []
    if (!isBusy) next()
  })
  const answer = splitter((kind, message) => {
    if (!isForgetting) client.write(message)
    if (kind !== 'Z') return
    const isOutside = message.at(-1) === 'I'.charCodeAt(0)
    if (isOpen && isOutside && !isForgetting) {
      isForgetting = true
      database.write(messageOf('Q', 'deallocate all\0'))
      return
    }
    isOpen = true
    isForgetting = false
    next()
  })
  client.on('data', hear)
  database.on('data', answer)
}

/** Calls back with each whole message of a stream. */
function splitter(onMessage: (kind: string, message: Buffer) => void): (chunk: Buffer) => void {
  let rest = Buffer.alloc(0)
  return (chunk) => {
    rest = Buffer.concat([rest, chunk])
    while (rest.length >= 5) {
      const end = 1 + rest.readInt32BE(1)
      if (rest.length < end) return
      onMessage(String.fromCharCode(rest[0] ?? 0), rest.subarray(0, end))
      rest = rest.subarray(end)
    }
  }
}
