import { FEED_RESUMES_EVENTS, FEED_RESUMES_TRADERS, type FeedMessage } from '@tradepost/contract/feed'
import type { BearerSession } from '../auth/sessions/authenticate.ts'
import { findLastEvents } from '../events/events.queries.ts'
import { coalesce } from '../platform/cache/coalesce.ts'
import type { Clock } from '../platform/clock.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EventStream } from '../platform/http/event-stream.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { findLastPublishedAt, findReceived, type Received } from './feed.queries.ts'
import type { FeedClient, FeedTraders } from './feed-traders.ts'
import { type Cursors, readResumeToken, writeResumeToken } from './resume-token.ts'

/** One open feed: the traders whose events its viewer receives, and the last event sent of each. */
export class FeedViewer implements FeedClient {
  readonly caller: BearerSession
  /** The viewer first. */
  readonly cursors = new Map<string, number>()
  readonly #deps: { db: Queryable; clock: Clock; log: Log }
  readonly #traders: FeedTraders
  readonly #onEnd: () => void
  #stream: EventStream | null = null
  #unsent: { data: string; id: string }[] = []
  /** Messages from before `ready`, which is the first message. */
  #early: string[] | null = []
  #followsOthers = false
  #over = false
  #tokenEnds: NodeJS.Timeout | null = null

  constructor(
    deps: { db: Queryable; clock: Clock; log: Log },
    traders: FeedTraders,
    caller: BearerSession,
    onEnd: () => void,
  ) {
    this.#deps = deps
    this.#traders = traders
    this.caller = caller
    this.#onEnd = onEnd
  }

  /** Whether another feed of its session has ended it. */
  isReplaced = false

  replace(): void {
    this.isReplaced = true
    this.end()
  }

  get isOver(): boolean {
    return this.#over
  }

  /** Sends `ready`, and the events that the viewer missed since `lastEventId`. */
  async begin(lastEventId: string): Promise<void> {
    const resume = readResumeToken(lastEventId)
    const received = await findReceived(this.#deps.db, this.caller.userId, [...(resume?.keys() ?? [])])
    const publishedAt = await findLastPublishedAt(this.#deps.db, received)
    const starts = new Map(received.map((trader) => [trader.traderId, startOf(trader, resume)]))
    const missed = received.reduce(
      (sum, { lastEventNo, traderId }) => sum + lastEventNo - (starts.get(traderId) ?? 0),
      0,
    )
    // An id holds some of more traders; of the others nobody knows what was missed.
    const resumed =
      resume !== null && missed <= FEED_RESUMES_EVENTS && received.length <= FEED_RESUMES_TRADERS
    for (const { lastEventNo, since, traderId } of received) {
      if (resumed || since !== null)
        this.#follow(traderId, resumed ? (starts.get(traderId) ?? 0) : lastEventNo)
    }
    const early = this.#early ?? []
    this.#early = null
    this.send({ type: 'ready', resumed, ...this.#times(received, publishedAt) })
    for (const data of early) this.writeEvent(data)
    await this.#catchUp()
    for (const { since, traderId } of received) if (since === null) this.#leave(traderId)
    if (this.#followsOthers) await this.#reconnect()
  }

  attach(stream: EventStream): void {
    this.#stream = stream
    stream.onEnd(() => this.end())
    for (const { data, id } of this.#unsent.splice(0)) stream.send(data, id)
    if (this.#over) stream.end()
    // The browser renews its token earlier and opens the next one with that.
    const left = this.caller.tokenEndsAt.getTime() - this.#deps.clock.now().getTime()
    this.#tokenEnds = setTimeout(() => this.end(), left).unref()
  }

  send(message: FeedMessage): void {
    this.writeEvent(JSON.stringify(message))
  }

  /** @param data a message as JSON, which many viewers share */
  writeEvent(data: string): void {
    if (this.#over) return
    if (this.#early) {
      this.#early.push(data)
      return
    }
    const id = writeResumeToken(this.cursors)
    if (this.#stream) this.#stream.send(data, id)
    else this.#unsent.push({ data, id })
  }

  /** A subscription of theirs has changed, and with it perhaps the traders whose events they receive. */
  followsOthers(): void {
    this.send({ type: 'changed', what: 'subscriptions' })
    // It follows nobody yet: what it reads would begin with the subscriptions themselves.
    if (this.#early) {
      this.#followsOthers = true
      return
    }
    this.#reconnect().catch((error: unknown) => {
      this.#deps.log.warn({ reason: reasonOf(error) }, 'a live feed could not follow its viewer')
      this.end()
    })
  }

  end(): void {
    if (this.#over) return
    this.#over = true
    if (this.#tokenEnds) clearTimeout(this.#tokenEnds)
    for (const traderId of this.cursors.keys()) this.#traders.leave(this, traderId)
    this.#stream?.end()
    this.#onEnd()
  }

  /** `changedAt`: when the last event was published or one of their subscriptions changed, whichever is later. */
  #times(received: Received[], publishedAt: Date | null): { now: string; changedAt: string | null } {
    const changes = [publishedAt, ...received.map(({ changedAt }) => changedAt)].flatMap(
      (at) => at?.getTime() ?? [],
    )
    return {
      now: this.#deps.clock.now().toISOString(),
      changedAt: changes.length === 0 ? null : new Date(Math.max(...changes)).toISOString(),
    }
  }

  readonly #reconnect = coalesce(async () => {
    const received = await findReceived(this.#deps.db, this.caller.userId, [])
    const now = new Set(received.map(({ traderId }) => traderId))
    for (const { since, traderId } of received)
      if (!this.cursors.has(traderId)) this.#follow(traderId, since ?? 0)
    await this.#catchUp()
    // After what they were entitled to until the end.
    for (const traderId of [...this.cursors.keys()]) if (!now.has(traderId)) this.#leave(traderId)
  })

  /** Reads what was published before the viewer followed the trader: its notification has gone by. */
  async #catchUp(): Promise<void> {
    const last = await findLastEvents(this.#deps.db, [...this.cursors.keys()])
    const behind = [...this.cursors].filter(([traderId, eventNo]) => (last.get(traderId) ?? 0) > eventNo)
    await Promise.all(behind.map(([traderId]) => this.#traders.readAll(traderId)))
  }

  #follow(traderId: string, eventNo: number): void {
    if (this.#over) return
    this.cursors.set(traderId, eventNo)
    this.#traders.join(this, traderId)
  }

  #leave(traderId: string): void {
    this.cursors.delete(traderId)
    this.#traders.leave(this, traderId)
  }
}

/** The event after which a trader's events are sent. */
function startOf({ lastEventNo, since, traderId }: Received, resume: Cursors | null): number {
  const known = resume?.get(traderId)
  if (known !== undefined) return Math.min(known, lastEventNo)
  // Followed since the id was written, or left out of an id that was full.
  if (!resume || resume.size >= FEED_RESUMES_TRADERS) return lastEventNo
  return Math.min(since ?? lastEventNo, lastEventNo)
}
