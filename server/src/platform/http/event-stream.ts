import { FEED_HEARTBEAT_MS } from '@tradepost/contract/feed'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { countStream } from '../metrics.ts'

/** Who reads slower than they are sent to is cut off: what waits for them would fill the memory of the process. */
const UNREAD_MAX_BYTES = 256 * 1024
/** Who has not read the end of the answer by then is cut off: a reader that never reads would hold its connection for good. */
const END_MS = 5000

/** An answer of server-sent events (html.spec.whatwg.org, Server-sent events). */
export type EventStream = {
  /** @param data one line @param id sent back by a browser that resumes */
  send(data: string, id: string): void
  /** Ends the answer. */
  end(): void
  /** Called once, when the stream is over for whatever reason. */
  onEnd(then: () => void): void
}

/**
 * Takes the answer over from Fastify, with the headers that every answer has. Says something every 30 s, so that silence means a dead
 * connection, and with everything the time, which devices may have wrong.
 */
export function openEventStream(request: FastifyRequest, reply: FastifyReply, clock: Clock): EventStream {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'private, no-cache',
    // A server that closes would wait for the connection to time out.
    connection: 'close',
    // Nginx and those that follow it keep an answer back until it is long enough.
    'x-accel-buffering': 'no',
  })
  raw.flushHeaders()
  // The server closes connections on which nothing moves; here the heartbeat finds out whether the other end is there.
  request.raw.socket.setTimeout(0)
  if (!raw.destroyed) {
    countStream(1)
    raw.once('close', () => countStream(-1))
  }
  const write = (text: string) => {
    if (raw.writableEnded || raw.destroyed) return
    raw.write(`: ${clock.now().toISOString()}\n${text}`)
    heartbeat.refresh()
    if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy()
  }
  const heartbeat = setTimeout(() => {
    // Nothing was written for 30 s, and what was written before has not been taken: nobody reads.
    if (raw.writableLength > 0) raw.destroy()
    else write('\n')
  }, FEED_HEARTBEAT_MS)
  heartbeat.unref()
  raw.once('close', () => clearTimeout(heartbeat))
  return {
    send: (data, id) => write(`id: ${id}\ndata: ${data}\n\n`),
    end() {
      raw.end()
      const cut = setTimeout(() => raw.destroy(), END_MS).unref()
      raw.once('close', () => clearTimeout(cut))
    },
    onEnd(then) {
      if (raw.destroyed) then()
      else raw.once('close', then)
    },
  }
}
