import { createSocket, type RemoteInfo } from 'node:dgram'
import { once } from 'node:events'

/** A name server on this machine that knows some names and never answers about another. */
export type NameServer = AsyncDisposable & {
  /** As `Resolver.setServers` takes it. */
  address: string
  /** Names that were asked about, known or not. */
  readonly asked: Set<string>
  /** Resolves when the condition holds; looked at after every question. */
  until(condition: () => boolean): Promise<void>
}

const HEADER_BYTES = 12
const TYPE_A = 1
/** It is an answer, recursion is there, no error. */
const ANSWERED = 0x8180

/** @param known IPv4 addresses by name; an address of the other family has none of them */
export async function startNameServer(known: Readonly<Record<string, string[]>>): Promise<NameServer> {
  const socket = createSocket('udp4')
  const asked = new Set<string>()
  let waiting: { condition: () => boolean; resolve: () => void }[] = []
  socket.on('message', (question: Buffer, { address, port }: RemoteInfo) => {
    const { end, name, type } = read(question)
    asked.add(name)
    const addresses = known[name]
    if (addresses) socket.send(answer(question, end, type === TYPE_A ? addresses : []), port, address)
    const met = waiting.filter(({ condition }) => condition())
    waiting = waiting.filter((one) => !met.includes(one))
    for (const { resolve } of met) resolve()
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    until: (condition) =>
      condition() ? Promise.resolve() : new Promise((resolve) => waiting.push({ condition, resolve })),
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

/** @returns where its one question ends */
function read(message: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: message.readUInt16BE(at + 1), end: at + 5 }
}

/** RFC 1035 section 4: the question again, and a record for each address. */
function answer(question: Buffer, end: number, addresses: string[]): Buffer {
  const head = Buffer.from(question.subarray(0, end))
  head.writeUInt16BE(ANSWERED, 2)
  head.writeUInt16BE(addresses.length, 6)
  head.writeUInt32BE(0, 8)
  const records = addresses.map((address) =>
    // The name of the question, type A of the Internet, kept for a minute, four bytes.
    Buffer.from([0xc0, HEADER_BYTES, 0, TYPE_A, 0, 1, 0, 0, 0, 60, 0, 4, ...address.split('.').map(Number)]),
  )
  return Buffer.concat([head, ...records])
}
