import type { ServerResponse } from 'node:http'
import { FEED_HEARTBEAT_MS } from '@tradepost/contract/feed'
import type { Clock } from '../clock.ts'

/** Turns of one period. Streams are distributed over them, so that no turn has many. */
const TURNS = 120
const TURN_MS = FEED_HEARTBEAT_MS / TURNS

type Stream = { raw: ServerResponse; writtenAt: number; cut: NodeJS.Timeout | null }

/**
 * Signs of life of all streams of an API: each is sent one every 30 s, whatever else it is sent. One timer serves all of them, and what is
 * written in a turn is made once.
 */
export class Heartbeats {
  readonly #clock: Clock
  readonly #turns = Array.from({ length: TURNS }, () => new Set<Stream>())
  /** Turns since the first stream. */
  #now = 0
  #opened = 0
  #count = 0
  #timer: NodeJS.Timeout | null = null

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** @returns is called whenever something else is written, since that is waited for too */
  add(raw: ServerResponse): () => void {
    if (raw.destroyed) return () => {}
    const stream: Stream = { raw, writtenAt: this.#now, cut: null }
    this.#opened += 1
    const turn = this.#turns[this.#opened % TURNS]
    turn?.add(stream)
    this.#count += 1
    this.#timer ??= this.#next()
    raw.once('close', () => {
      turn?.delete(stream)
      if (stream.cut) clearTimeout(stream.cut)
      this.#count -= 1
      if (this.#count > 0 || !this.#timer) return
      clearTimeout(this.#timer)
      this.#timer = null
    })
    return () => {
      stream.writtenAt = this.#now
    }
  }

  #next(): NodeJS.Timeout {
    return setTimeout(() => {
      this.#timer = this.#next()
      this.#now += 1
      const text = `: ${this.#clock.now().toISOString()}\n\n`
      const chunk = Buffer.from(`${text.length.toString(16)}\r\n${text}\r\n`, 'latin1')
      for (const stream of this.#turns[this.#now % TURNS] ?? []) this.#sendHeartbeat(stream, text, chunk)
    }, TURN_MS).unref()
  }

  /** Straight to the connection: `raw.write` would make the same bytes of the text again for each stream. */
  #sendHeartbeat(stream: Stream, text: string, chunk: Buffer): void {
    const { raw } = stream
    if (raw.writableEnded || raw.destroyed) return
    if (raw.writableLength > 0) this.#cutInTime(stream)
    else {
      raw.socket?.write(raw.chunkedEncoding ? chunk : text)
      stream.writtenAt = this.#now
    }
  }

  /** A reader that has not taken the last bytes within 30 s reads no more. */
  #cutInTime(stream: Stream): void {
    const { raw, writtenAt } = stream
    const cut = () => {
      if (raw.writableLength > 0 && stream.writtenAt === writtenAt) raw.destroy()
    }
    const left = TURNS - (this.#now - writtenAt)
    if (left <= 0) cut()
    else stream.cut = setTimeout(cut, left * TURN_MS).unref()
  }
}
