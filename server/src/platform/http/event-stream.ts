import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Clock } from '../clock.ts'
import { countStream } from '../metrics.ts'
import { Heartbeats } from './heartbeats.ts'

/** A reader that is slower than the stream is cut off: its unread bytes would fill the memory of the process. */
const UNREAD_MAX_BYTES = 256 * 1024
/** A reader that has not read the end of the answer by then is cut off: one that never reads would hold its connection for good. */
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
 * @param clock of the time that is sent with everything, since devices may have it wrong
 * @returns opens streams, which share what keeps them alive
 */
export function makeEventStreams(
  clock: Clock,
): (request: FastifyRequest, reply: FastifyReply) => EventStream {
  const heartbeats = new Heartbeats(clock)
  return (request, reply) => openEventStream({ request, reply, clock, heartbeats })
}

/** Takes the answer over from Fastify, with the headers that every answer has. */
function openEventStream({
  clock,
  heartbeats,
  reply,
  request,
}: {
  request: FastifyRequest
  reply: FastifyReply
  clock: Clock
  heartbeats: Heartbeats
}): EventStream {
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
  const noteWritten = heartbeats.add(raw)
  const write = (text: string) => {
    if (raw.writableEnded || raw.destroyed) return
    raw.write(`: ${clock.now().toISOString()}\n${text}`)
    noteWritten()
    if (raw.writableLength > UNREAD_MAX_BYTES) raw.destroy()
  }
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
