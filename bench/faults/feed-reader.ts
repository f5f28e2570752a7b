import { setTimeout as pause } from 'node:timers/promises'
import { feedMessage } from '@tradepost/contract/feed'
import { EventSourceParserStream } from 'eventsource-parser/stream'

/** A follower with an open page: asks for the feed again where it was, whenever it ends. */
export type FeedReader = {
  /** The kind and the symbol of each event, as `opened AAPL`; from the feed, or from lists that were loaded again. */
  received: Set<string>
  /** How often it had missed too much to be sent it, and loaded its lists again, as a browser does. */
  askedAgain: number
  /** Whether it has begun: from here on nothing is missed. */
  ready: boolean
  /** Of `performance.now()`. */
  lastAt: number
  close(): Promise<void>
}

const AGAIN_MS = 200

/**
 * @param port of an api
 * @param token of the reader
 * @param askAgain the events in the lists, asked until they answer
 */
export function readFeed(port: number, token: string, askAgain: () => Promise<string[]>): FeedReader {
  const over = new AbortController()
  const reader: FeedReader = { received: new Set(), askedAgain: 0, ready: false, lastAt: 0, close }
  let lastEventId = ''
  async function close() {
    over.abort()
    await reading
  }
  async function readOnce() {
    const headers = { authorization: `Bearer ${token}`, 'last-event-id': lastEventId }
    const answer = await fetch(`http://127.0.0.1:${port}/v1/feed`, { headers, signal: over.signal })
    if (!answer.ok || !answer.body) return void (await answer.body?.cancel())
    const stream = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data, id } of stream) {
      lastEventId = id ?? lastEventId
      const message = feedMessage.parse(JSON.parse(data))
      if (message.type === 'ready' && reader.ready && !message.resumed) {
        reader.askedAgain += 1
        for (const event of await askAgain()) reader.received.add(event)
      }
      reader.ready = true
      if (message.type !== 'opened' && message.type !== 'closed') continue
      reader.received.add(`${message.type} ${message.position.stock}`)
      reader.lastAt = performance.now()
    }
  }
  async function keepReading() {
    while (!over.signal.aborted) {
      await readOnce().catch(() => undefined)
      await pause(AGAIN_MS, undefined, { signal: over.signal }).catch(() => undefined)
    }
  }
  const reading = keepReading()
  return reader
}
