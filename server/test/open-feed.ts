import type { AddressInfo } from 'node:net'
import { type FeedMessage, feedMessage } from '@tradepost/contract/feed'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { TestApp } from './build-test-app.ts'
import { bearer, type SignedIn, tokenOf } from './sign-in/sign-in.ts'

/** An open feed, read over the wire. */
export type Feed = {
  /** The next message. @throws when the feed ends before it */
  next(): Promise<FeedMessage>
  /** All messages up to the end of the feed. */
  rest(): Promise<FeedMessage[]>
  /** Of the last message that was read. */
  lastEventId(): string
  /** Closes it from the reader's side. */
  close(): void
}

/** @returns where the app listens, from the first call on */
export async function listenOnLoopback({ app }: TestApp): Promise<string> {
  const listening = app.server.address() as AddressInfo | null
  if (listening) return `http://127.0.0.1:${listening.port}`
  return app.listen({ host: '127.0.0.1', port: 0 })
}

/** Asks for the feed of somebody, as a browser does. */
export async function askFeed(
  testApp: TestApp,
  who: SignedIn,
  options: { lastEventId?: string; signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = {
    ...bearer(await tokenOf(testApp, who)),
    ...(options.lastEventId !== undefined && { 'last-event-id': options.lastEventId }),
  }
  return fetch(`${await listenOnLoopback(testApp)}/v1/feed`, { headers, signal: options.signal ?? null })
}

/** Opens the feed of somebody. @throws when it is refused */
export async function openFeed(testApp: TestApp, who: SignedIn, lastEventId?: string): Promise<Feed> {
  const ending = new AbortController()
  const answer = await askFeed(testApp, who, {
    signal: ending.signal,
    ...(lastEventId !== undefined && { lastEventId }),
  })
  if (!answer.ok || !answer.body) throw new Error(`the feed answers ${answer.status}`)
  const events = answer.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader()
  let lastId = ''
  const read = async (): Promise<FeedMessage | null> => {
    const { done, value } = await events.read()
    if (done) return null
    lastId = value.id ?? ''
    return feedMessage.parse(JSON.parse(value.data))
  }
  return {
    async next() {
      const message = await read()
      if (!message) throw new Error('the feed has ended')
      return message
    },
    async rest() {
      const messages: FeedMessage[] = []
      for (let message = await read(); message; message = await read()) messages.push(message)
      return messages
    },
    lastEventId: () => lastId,
    close: () => ending.abort(),
  }
}

/** The messages of a feed, in short, up to `last`. */
export async function readUntil(feed: Feed, last: string): Promise<string[]> {
  const messages: string[] = []
  do {
    const message = await feed.next()
    if (message.type === 'ready') messages.push(message.resumed ? 'resumed' : 'ready')
    else if (message.type === 'changed') messages.push(`changed ${message.what}`)
    else if (message.type === 'marks') messages.push(...message.marks.map(({ symbol }) => `mark ${symbol}`))
    else messages.push(`${message.type} ${message.position.stock}`)
  } while (messages.at(-1) !== last)
  return messages
}

/** The same without what changed of the viewer's own: the notification of a subscription may come after the feed was opened. */
export async function signalsUntil(feed: Feed, last: string): Promise<string[]> {
  const messages = await readUntil(feed, last)
  return messages.filter((text) => !text.startsWith('changed'))
}

/** The next message that is not about the viewer's own. */
export async function nextSignal(feed: Feed): Promise<FeedMessage> {
  const message = await feed.next()
  return message.type === 'changed' ? nextSignal(feed) : message
}
