import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const AT_ONCE = 50

/** Many open feeds, read with as little work as that takes. */
export type Streams = {
  /** Resolves once each has been sent something that holds the text: when, by the clock of `performance`, one number a stream. */
  received(text: string): Promise<number[]>
  close(): void
}

/** @param requests one a stream, as bytes of HTTP. @throws when one is refused */
export async function openStreams(port: number, requests: readonly string[]): Promise<Streams> {
  const sockets: Socket[] = []
  let awaited: { text: string; left: Set<Socket>; times: number[]; done(): void } | null = null
  const open = async (request: string) => {
    const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
    await once(socket, 'connect')
    const ready = Promise.withResolvers<void>()
    socket.on('data', (chunk: string) => {
      if (chunk.includes('"type":"ready"')) ready.resolve()
      else if (/^HTTP\/1.1 [45]/.test(chunk)) ready.reject(new Error(chunk.slice(0, 200)))
      if (!awaited?.left.has(socket) || !chunk.includes(awaited.text)) return
      awaited.times.push(performance.now())
      awaited.left.delete(socket)
      if (awaited.left.size === 0) awaited.done()
    })
    socket.on('close', () => ready.reject(new Error('a stream was closed')))
    socket.write(request)
    await ready.promise
    sockets.push(socket)
  }
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    await Promise.all(requests.slice(at, at + AT_ONCE).map(open))
  }
  return {
    received(text) {
      const times: number[] = []
      return new Promise((resolve) => {
        awaited = { text, left: new Set(sockets), times, done: () => resolve(times) }
      })
    },
    close() {
      for (const socket of sockets) socket.destroy()
    },
  }
}
