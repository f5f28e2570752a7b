import { once } from 'node:events'
import { connect } from 'node:net'

export type Answer = { status: number; head: string; body: string }

/** One kept-alive connection, one request at a time: a client that costs far less than the servers it asks. */
type HttpLine = { ask(request: string): Promise<Answer>; close(): void }

/**
 * Asks `count` times over several connections at once.
 * @param ask makes the nth request and looks at its answer
 * @returns how long it took, in seconds
 */
export async function askAll(
  port: number,
  count: number,
  ask: { request(index: number): string; answer(answer: Answer, index: number): void },
  connections: number,
): Promise<number> {
  const lines = await Promise.all(Array.from({ length: connections }, () => openLine(port)))
  let next = 0
  const started = performance.now()
  await Promise.all(
    lines.map(async (line) => {
      for (let index = next++; index < count; index = next++) {
        ask.answer(await line.ask(ask.request(index)), index)
      }
    }),
  )
  const seconds = (performance.now() - started) / 1000
  for (const line of lines) line.close()
  return seconds
}

/** The bytes of a request. @param headers lines without their ends */
export function get(path: string, headers: string[]): string {
  return [`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n')
}

export function post(path: string, body: object, headers: string[] = []): string {
  const text = JSON.stringify(body)
  const described = ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(text)}`]
  return [`POST ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...described, ...headers, '', text].join('\r\n')
}

async function openLine(port: number): Promise<HttpLine> {
  const socket = connect(port, '127.0.0.1').setNoDelay(true).setEncoding('latin1')
  await once(socket, 'connect')
  let received = ''
  let waiting: PromiseWithResolvers<Answer> | null = null
  socket.on('data', (chunk: string) => {
    received += chunk
    const answer = readAnswer(received)
    if (!answer) return
    received = ''
    waiting?.resolve(answer)
  })
  socket.on('close', () => waiting?.reject(new Error('the server hung up')))
  socket.on('error', (error) => waiting?.reject(error))
  return {
    ask(request) {
      waiting = Promise.withResolvers()
      socket.write(request)
      return waiting.promise
    },
    close: () => socket.destroy(),
  }
}

/** @returns null until all of it has come */
function readAnswer(received: string): Answer | null {
  const end = received.indexOf('\r\n\r\n')
  if (end < 0) return null
  const head = received.slice(0, end)
  const body = received.slice(end + 4)
  const status = Number(head.slice(9, 12))
  if (/^transfer-encoding: *chunked/im.test(head)) {
    return body.endsWith('0\r\n\r\n') ? { status, head, body: joinChunks(body) } : null
  }
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0)
  return body.length >= length ? { status, head, body } : null
}

function joinChunks(body: string): string {
  let joined = ''
  for (let at = 0; ; ) {
    const lineEnd = body.indexOf('\r\n', at)
    const size = Number.parseInt(body.slice(at, lineEnd), 16)
    if (!size) return joined
    joined += body.slice(lineEnd + 2, lineEnd + 2 + size)
    at = lineEnd + 2 + size + 2
  }
}
