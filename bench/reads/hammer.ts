import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')

/**
 * Asks over several kept-alive connections, each waiting for its answer: a client that costs less than any server it asks.
 * @param requests sent in turn
 * @returns answers a second
 * @throws when an answer has another status
 */
export async function hammer(
  port: number,
  requests: Buffer[],
  options: { status: number; seconds: number; connections: number },
): Promise<number> {
  let next = 0
  const began = performance.now()
  const until = began + options.seconds * 1000
  await inLines(port, options, ({ send, end }) => {
    if (performance.now() >= until) return end()
    send(requests[next % requests.length] as Buffer)
    next += 1
  })
  return next / ((performance.now() - began) / 1000)
}

/**
 * Asks at a steady rate, whether or not answers come: a request that finds no free connection waits, and that counts.
 * @param options.rate requests a second
 * @returns milliseconds from the instant at which each was due to its answer; those of the first second do not count
 */
export async function pace(
  port: number,
  requests: Buffer[],
  options: { status: number; seconds: number; connections: number; rate: number },
): Promise<number[]> {
  const taken: number[] = []
  const count = options.rate * options.seconds
  let next = 0
  let began: number | null = null
  const dueOf = (nth: number) => {
    began ??= performance.now()
    return began + (nth * 1000) / options.rate
  }
  const asked = new Map<Line, number>()
  await inLines(port, options, (line) => {
    const due = asked.get(line)
    if (due !== undefined && due >= dueOf(options.rate)) taken.push(performance.now() - due)
    if (next >= count) return line.end()
    const nth = next++
    asked.set(line, dueOf(nth))
    const wait = dueOf(nth) - performance.now()
    const send = () => line.send(requests[nth % requests.length] as Buffer)
    if (wait > 0) setTimeout(send, wait)
    else send()
  })
  return taken
}

type Line = { send(request: Buffer): void; end(): void }

/** Calls `turn` for each connection at its beginning and after each answer, until all have ended. */
async function inLines(
  port: number,
  { status, connections }: { status: number; connections: number },
  turn: (line: Line) => void,
): Promise<void> {
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect(port, '127.0.0.1').setNoDelay(true)
      await once(socket, 'connect')
      return socket
    }),
  )
  await Promise.all(sockets.map((socket) => runLine(socket, status, turn)))
}

/** Looks at no more of an answer than its status and where it ends. */
async function runLine(socket: Socket, status: number, turn: (line: Line) => void): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    let missing = 0
    let kept: Buffer = Buffer.alloc(0)
    const line: Line = { send: (request) => void socket.write(request), end: resolve }
    socket.on('data', (chunk: Buffer) => {
      if (missing === 0) {
        const received = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
        const end = received.indexOf(HEAD_END)
        kept = end < 0 ? received : Buffer.alloc(0)
        if (end < 0) return
        const head = received.toString('latin1', 0, end)
        if (Number(head.slice(9, 12)) !== status)
          return reject(new Error(`answered ${received.toString('latin1')}`))
        const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
        missing = length - (received.length - end - HEAD_END.length)
      } else {
        missing -= chunk.length
      }
      if (missing === 0) turn(line)
    })
    socket.on('close', () => reject(new Error('the server hung up')))
    socket.on('error', reject)
    turn(line)
  })
  socket.removeAllListeners('close').destroy()
}
