import { once } from 'node:events'
import { connect } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Asks over several kept-alive connections, each waiting for its answer, looking at no more of it than its status and where it ends:
 * a client that costs less than any server it asks.
 * @param requests said in turn
 * @returns answers a second
 * @throws when an answer has another status
 */
export async function hammer(
  port: number,
  requests: Buffer[],
  options: { status: number; seconds: number; connections: number },
): Promise<number> {
  const sockets = await Promise.all(
    Array.from({ length: options.connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      await once(socket, 'connect')
      return socket
    }),
  )
  let next = 0
  const began = performance.now()
  const until = began + options.seconds * 1000
  await Promise.all(
    sockets.map(
      (socket) =>
        new Promise<void>((resolve, reject) => {
          let missing = 0
          let kept: Buffer = Buffer.alloc(0)
          const ask = () => {
            if (performance.now() >= until) return resolve()
            socket.write(requests[next % requests.length] as Buffer)
            next += 1
          }
          socket.on('data', (chunk: Buffer) => {
            if (missing === 0) {
              const received = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
              const end = received.indexOf(HEAD_END)
              kept = end < 0 ? received : Buffer.alloc(0)
              if (end < 0) return
              const head = received.toString('latin1', 0, end)
              const status = Number(head.slice(9, 12))
              if (status !== options.status)
                return reject(new Error(`answered ${received.toString('latin1')}`))
              const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
              missing = length - (received.length - end - HEAD_END.length)
            } else {
              missing -= chunk.length
            }
            if (missing === 0) ask()
          })
          socket.on('close', () => reject(new Error('the server hung up')))
          socket.on('error', reject)
          ask()
        }),
    ),
  )
  const seconds = (performance.now() - began) / 1000
  for (const socket of sockets) socket.removeAllListeners('close').destroy()
  return next / seconds
}
