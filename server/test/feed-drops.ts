import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type FeedMessage, feedMessage } from '@tradepost/contract/feed'
import { EventSourceParserStream } from 'eventsource-parser/stream'

/** A follower whose connection is lost again and again, and who goes on where it was, anywhere. */
export type Dropped = { token: string; heard: Received[]; drop(): void; gaps: number }
/** An event as a follower received it: its trader and its stock. */
export type Received = { trader: string; stock: string }

type Course = {
  /** Access tokens of followers. */
  tokens: readonly string[]
  /** Where one of the processes listens; one that is just being restarted may be named. */
  origin(): string
  /** Publishes one event. */
  publish(): Promise<Received>
  /** Restarts one of the processes while everything goes on. */
  restart(): Promise<void>
  drops: number
  restarts: number
}

/** Between two drops, ms. */
const LIFE_MS = { shortest: 1, longest: 20 }
/** A follower who was refused, or could not connect, asks again after this time. */
const AGAIN_MS = 20
const LIMIT_MS = 120_000

/**
 * Followers receive what is published while their connections are lost at random moments and processes are restarted in turn.
 * @returns what was published, in order, and what each follower received of it
 */
export async function dropFeeds(course: Course): Promise<{ published: Received[]; followers: Dropped[] }> {
  const over = new AbortController()
  const followers = course.tokens.map((token) => follow(token, course.origin, over.signal))
  await untilAll(followers, ({ heard, opened }) => opened && heard.length === 0)
  const published: Received[] = []
  const dropping = drop(followers, course)
  let dropped = false
  void dropping.finally(() => {
    dropped = true
  })
  while (!dropped) {
    published.push(await course.publish())
    await pause(randomInt(1, 10))
  }
  await dropping
  // The last event that is published is the last that everybody receives.
  const last = await course.publish()
  published.push(last)
  await untilAll(followers, ({ heard }) => heard.some(({ stock }) => stock === last.stock))
  over.abort()
  return { published, followers }
}

async function drop(followers: Following[], { drops, restart, restarts }: Course): Promise<void> {
  const every = Math.ceil(drops / (restarts + 1))
  for (let nth = 1; nth <= drops; nth += 1) {
    await pause(randomInt(LIFE_MS.shortest, LIFE_MS.longest))
    followers[randomInt(followers.length)]?.drop()
    if (nth % every === 0) await restart()
  }
}

type Following = Dropped & { opened: boolean }

function follow(token: string, origin: () => string, over: AbortSignal): Following {
  let connection = new AbortController()
  const following: Following = {
    token,
    heard: [],
    gaps: 0,
    opened: false,
    drop: () => connection.abort(),
  }
  let place = ''
  const take = (message: FeedMessage) => {
    if (message.type === 'ready' && following.opened && !message.resumed) following.gaps += 1
    following.opened = true
    if ('position' in message) {
      following.heard.push({ trader: message.position.user, stock: message.position.stock })
    }
  }
  const read = async () => {
    connection = new AbortController()
    const answer = await fetch(`${origin()}/v1/feed`, {
      headers: { authorization: `Bearer ${token}`, ...(place !== '' && { 'last-event-id': place }) },
      signal: AbortSignal.any([connection.signal, over]),
    })
    if (!answer.ok || !answer.body) throw new Error(`the feed answers ${answer.status}`)
    const events = answer.body.pipeThrough(new TextDecoderStream()).pipeThrough(new EventSourceParserStream())
    for await (const { data, id } of events) {
      take(feedMessage.parse(JSON.parse(data)))
      place = id ?? place
    }
  }
  const keepReading = async () => {
    while (!over.aborted) await read().catch(() => pause(AGAIN_MS))
  }
  void keepReading()
  return following
}

async function untilAll(followers: Following[], holds: (follower: Following) => boolean): Promise<void> {
  const end = performance.now() + LIMIT_MS
  while (!followers.every(holds)) {
    if (performance.now() > end) throw new Error('followers do not receive what they should')
    await pause(AGAIN_MS)
  }
}
