import type { Server } from 'node:http'
import { type BlockList, isIP, type Socket } from 'node:net'
import { readProxyHeader } from './proxy-header.ts'

/** From the first byte to the last of the header, however many arrive between. */
const HEADER_WITHIN_MS = 5000

/**
 * Has these balancers send the client of each connection at its beginning (PROXY protocol, versions 1 and 2): its address is the
 * client's from then on, for limits, logs and every other use. A listed balancer that sends no header at once is cut off; from
 * anybody else a header is not read, and is no HTTP (ADR 0068).
 * @param options.withinMs for a whole header, five seconds unless given
 * @returns ends the connections that have not sent theirs yet
 */
export function expectProxyHeaders(
  server: Server,
  balancers: BlockList,
  { withinMs = HEADER_WITHIN_MS } = {},
): () => void {
  const serve = server.listeners('connection')
  const waiting = new Set<Socket>()
  server.removeAllListeners('connection')
  server.on('connection', (socket: Socket) => {
    const begin = () => {
      for (const listener of serve) listener.call(server, socket)
    }
    if (!isListed(balancers, socket)) return begin()
    waiting.add(socket.on('close', () => waiting.delete(socket)))
    awaitHeader(socket, withinMs, () => {
      waiting.delete(socket)
      begin()
    })
  })
  return () => {
    for (const socket of waiting) socket.destroy()
  }
}

function isListed(balancers: BlockList, { remoteAddress = '' }: Socket): boolean {
  return (
    isIP(remoteAddress) !== 0 && balancers.check(remoteAddress, isIP(remoteAddress) === 6 ? 'ipv6' : 'ipv4')
  )
}

function awaitHeader(socket: Socket, withinMs: number, begin: () => void): void {
  const limit = setTimeout(() => socket.destroy(), withinMs).unref()
  const fail = () => socket.destroy()
  let bytes: Buffer = Buffer.alloc(0)
  const read = (part: Buffer) => {
    bytes = Buffer.concat([bytes, part])
    const header = readProxyHeader(bytes)
    if (header === 'partial') return
    stop()
    if (header === 'none') return fail()
    if (header.client !== null) Object.defineProperty(socket, 'remoteAddress', { value: header.client })
    socket.pause()
    const rest = bytes.subarray(header.length)
    if (rest.length > 0) socket.unshift(rest)
    begin()
    // The bytes that were read already go to the listeners that have just been added.
    process.nextTick(() => socket.resume())
  }
  const stop = () => {
    clearTimeout(limit)
    socket.off('data', read).off('error', fail).off('end', fail).off('close', stop)
  }
  socket.on('data', read).on('error', fail).on('end', fail).on('close', stop)
}
