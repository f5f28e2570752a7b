import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** The parameters that PgBouncer takes at the start of a connection (pgbouncer.org/config.html, ignore_startup_parameters). */
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
 * @param options.lends how many of its clients may be in a transaction at once, while others wait; no limit unless given
 */
export async function startStandInPooler(
  target: string,
  { forgets, lends = Number.POSITIVE_INFINITY }: { forgets: boolean; lends?: number },
): Promise<StandInPooler> {
  const { hostname, port } = new URL(target)
  const places = makePlaces(lends)
  const server = createServer((client) => {
    client.on('error', () => undefined)
    client.once('data', (start: Buffer) => {
      const unknown = parametersOf(start).find((name) => !KNOWN.has(name.toLowerCase()))
      if (unknown) return client.end(refusalOf(`unsupported startup parameter: ${unknown}`))
      const database = connect(Number(port), hostname, () => database.write(start))
      database.on('error', () => client.destroy()).on('close', () => client.destroy())
      client.on('close', () => database.destroy())
      return passInTurn(client, database, { forgets, places })
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

type Places = { take(begin: () => void): void; give(): void }

function makePlaces(count: number): Places {
  const waiting: (() => void)[] = []
  let free = count
  return {
    take(begin) {
      if (free === 0) return void waiting.push(begin)
      free -= 1
      begin()
    },
    give() {
      const begin = waiting.shift()
      if (begin) begin()
      else free += 1
    },
  }
}

/**
 * Passes on one round at a time: the messages of a client until it waits. From its first round until it is outside a transaction again
 * the client has a place; a forgetting server forgets then.
 */
function passInTurn(
  client: Socket,
  database: Socket,
  { forgets, places }: { forgets: boolean; places: Places },
): void {
  const waiting: Buffer[] = []
  let round: Buffer[] = []
  let isBusy = true
  let hasPlace = false
  let isForgetting = false
  let isOpen = false
  const leave = () => {
    if (hasPlace) places.give()
    hasPlace = false
  }
  const begin = (sent: Buffer) => {
    hasPlace = true
    if (client.destroyed) leave()
    else database.write(sent)
  }
  const next = () => {
    const sent = waiting.shift()
    isBusy = sent !== undefined
    if (sent && hasPlace) database.write(sent)
    else if (sent) places.take(() => begin(sent))
  }
  const receive = splitter((kind, message) => {
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
    if (forgets && isOpen && isOutside && !isForgetting) {
      isForgetting = true
      database.write(messageOf('Q', 'deallocate all\0'))
      return
    }
    isOpen = true
    isForgetting = false
    if (isOutside) leave()
    next()
  })
  client.on('data', receive)
  client.on('close', leave)
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
