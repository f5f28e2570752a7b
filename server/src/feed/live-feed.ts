import type { FeedMessage } from '@tradepost/contract/feed'
import type { Mark } from '@tradepost/contract/marks'
import { type BearerSession, isStillLetIn } from '../auth/sessions/authenticate.ts'
import { findMarks } from '../marks/marks.queries.ts'
import { isShownTo, presentMark } from '../marks/read-marks.ts'
import type { Clock } from '../platform/clock.ts'
import { type Listening, listen } from '../platform/database/listen.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import type { EventStream } from '../platform/http/event-stream.ts'
import { refusal } from '../platform/http/refusal.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import type { Settings } from '../platform/settings.ts'
import { findHolders } from './feed.queries.ts'
import { type FeedClient, FeedTraders } from './feed-traders.ts'
import { FeedViewer } from './feed-viewer.ts'

/** Prices looked up within this long are sent together. */
const GATHERED_MS = 1000

/**
 * Sends current prices of symbols to the followers of a trader who holds them, as workers look them up. Only where prices are live (rule
 * G-130): late ones change at other times, and pages ask for marks every half minute.
 */
class FeedMarks {
  readonly #deps: { db: Queryable; clock: Clock; log: Log }
  readonly #traders: FeedTraders
  readonly #symbols = new Set<string>()
  #gathering: NodeJS.Timeout | null = null

  constructor(deps: { db: Queryable; clock: Clock; log: Log }, traders: FeedTraders) {
    this.#deps = deps
    this.#traders = traders
  }

  /** These have been looked up. */
  lookedUp(symbols: string[]): void {
    for (const symbol of symbols) this.#symbols.add(symbol)
    this.#gathering ??= setTimeout(() => this.#send(), GATHERED_MS).unref()
  }

  end(): void {
    if (this.#gathering) clearTimeout(this.#gathering)
    this.#gathering = null
    this.#symbols.clear()
  }

  #send(): void {
    const symbols = [...this.#symbols]
    this.end()
    // A page asks for its marks every half minute as well, so one that fails here is not tried again.
    this.#sendOf(symbols).catch((error: unknown) =>
      this.#deps.log.warn({ reason: reasonOf(error) }, 'live feeds could not be sent marks'),
    )
  }

  async #sendOf(symbols: string[]): Promise<void> {
    const traderIds = this.#traders.traderIds()
    if (traderIds.length === 0) return
    const { clock, db } = this.#deps
    const holders = await findHolders(db, { symbols, traderIds })
    if (holders.length === 0) return
    const now = clock.now()
    const rows = await findMarks(db, [...new Set(holders.map(({ symbol }) => symbol))], now)
    const showing = { rights: 'live', now } as const
    const marks = new Map(
      [...rows.values()].map((row) => [row.symbol, { row, mark: presentMark(row, [], showing) }]),
    )
    const ofFeedClients = new Map<FeedClient, { marks: Set<Mark>; lost: Set<string> }>()
    for (const { isLost, openedAt, symbol, traderId } of holders) {
      const found = marks.get(symbol)
      if (!found || (!isLost && !isShownTo(found.row, openedAt.getTime()))) continue
      for (const feedClient of this.#traders.feedClientsOf(traderId)) {
        const theirs = ofFeedClients.get(feedClient) ?? { marks: new Set(), lost: new Set() }
        ofFeedClients.set(feedClient, theirs)
        if (isLost) theirs.lost.add(symbol)
        else theirs.marks.add(found.mark)
      }
    }
    for (const [feedClient, theirs] of ofFeedClients) {
      // A page has one price for a ticker: none, where one of its positions is of the company that had it before.
      const shown = [...theirs.marks].filter(({ symbol }) => !theirs.lost.has(symbol))
      const message: FeedMessage = { type: 'marks', marks: shown }
      if (shown.length > 0) feedClient.writeEvent(JSON.stringify(message))
    }
  }
}

/** Of one person on all devices. */
const STREAMS_A_PERSON = 20

const FULL_RETRY_SECONDS = 60

const OUTAGE_RETRY_SECONDS = 5

const REPLACED_RETRY_SECONDS = 1

/** A process that dies between its commit and its notification is noticed so late. */
const SWEEP_MS = 5000

const CHANNELS = ['events', 'people'] as const

export type LiveFeedDeps = {
  db: Queryable
  pipelined: Queryable
  databaseUrl: string
  clock: Clock
  log: Log
  settings: Pick<Settings, 'priceRights'>
}

/** The open feeds of this process. They share one connection that listens, and a feed without messages costs no query. */
export type LiveFeed = {
  /**
   * @param lastEventId id of the last message that the browser has; '' for none
   * @returns gives the feed the stream that it is to write to
   * @throws `rate_limited`, `unavailable`
   */
  open(caller: BearerSession, lastEventId: string): Promise<(stream: EventStream) => void>
  /** Ends all feeds; browsers open theirs again, elsewhere. */
  close(): Promise<void>
}

export function makeLiveFeed(deps: LiveFeedDeps): LiveFeed {
  const feeds = new Feeds(deps)
  return {
    async open(caller, lastEventId) {
      const viewer = await feeds.enter(caller, lastEventId)
      return (stream) => feeds.attach(viewer, stream)
    },
    close: () => feeds.close(),
  }
}

class Feeds {
  readonly #deps: LiveFeedDeps
  readonly #traders: FeedTraders
  readonly #marks: FeedMarks
  /** Answers of each person whose connection is there yet, those among them that are over. */
  readonly #connections = new Map<string, number>()
  /** By the person's id. */
  readonly #viewers = new Map<string, Set<FeedViewer>>()
  #listening: Promise<Listening> | null = null
  #sweeping: NodeJS.Timeout | null = null
  #closed = false

  constructor(deps: LiveFeedDeps) {
    this.#deps = deps
    this.#traders = new FeedTraders(deps)
    this.#marks = new FeedMarks(deps, this.#traders)
  }

  /** From here on the viewer misses nothing; messages before it is attached wait. */
  async enter(caller: BearerSession, lastEventId: string): Promise<FeedViewer> {
    await this.#listen()
    const viewer = this.#register(caller)
    try {
      // Its session may have ended between the request's check and this.
      if (!(await this.#isLetIn(viewer))) throw refusal('unauthorized')
      await viewer.begin(lastEventId)
      // A later feed of the session has taken its place: nothing is wrong with the product.
      if (viewer.isReplaced) throw refusal('rate_limited', { retryAfterSeconds: REPLACED_RETRY_SECONDS })
      if (viewer.isOver) throw refusal('unavailable', { retryAfterSeconds: OUTAGE_RETRY_SECONDS })
      return viewer
    } catch (error) {
      viewer.end()
      throw error
    }
  }

  attach(viewer: FeedViewer, stream: EventStream): void {
    const { userId } = viewer.caller
    this.#connections.set(userId, (this.#connections.get(userId) ?? 0) + 1)
    stream.onEnd(() => {
      const left = (this.#connections.get(userId) ?? 1) - 1
      if (left > 0) this.#connections.set(userId, left)
      else this.#connections.delete(userId)
    })
    viewer.attach(stream)
  }

  async close(): Promise<void> {
    this.#closed = true
    const listening = this.#listening
    this.#endAll()
    await listening?.then((open) => open.end()).catch(() => undefined)
  }

  #register(caller: BearerSession): FeedViewer {
    const ofPerson = this.#viewers.get(caller.userId) ?? new Set()
    // A browser has one feed: another one of its session takes the place of the one before.
    for (const other of [...ofPerson]) if (other.caller.sessionId === caller.sessionId) other.replace()
    if (Math.max(ofPerson.size, this.#connections.get(caller.userId) ?? 0) >= STREAMS_A_PERSON) {
      throw refusal('rate_limited', { retryAfterSeconds: FULL_RETRY_SECONDS })
    }
    const viewer = new FeedViewer(this.#deps, this.#traders, caller, () => {
      ofPerson.delete(viewer)
      if (ofPerson.size === 0 && this.#viewers.get(caller.userId) === ofPerson)
        this.#viewers.delete(caller.userId)
    })
    ofPerson.add(viewer)
    this.#viewers.set(caller.userId, ofPerson)
    return viewer
  }

  /** The connection that listens is opened with the first feed, and stays. */
  async #listen(): Promise<void> {
    if (this.#closed) throw refusal('unavailable', { retryAfterSeconds: OUTAGE_RETRY_SECONDS })
    this.#listening ??= this.#openListening()
    try {
      await this.#listening
    } catch {
      throw refusal('unavailable', { retryAfterSeconds: OUTAGE_RETRY_SECONDS })
    }
  }

  #openListening(): Promise<Listening> {
    const { databaseUrl, log, settings } = this.#deps
    const channels = settings.priceRights === 'live' ? [...CHANNELS, 'marks' as const] : CHANNELS
    const opening = listen(databaseUrl, channels, (channel, payload) => {
      if (channel === 'events') for (const traderId of payload.split(',')) this.#traders.read(traderId)
      else if (channel === 'marks') this.#marks.lookedUp(payload.split(','))
      else this.#changed(payload)
    })
    const forget = (error: unknown) => {
      if (this.#listening !== opening) return
      this.#listening = null
      if (this.#closed) return
      log.warn({ reason: reasonOf(error) }, 'live feeds wait for the database')
      // Nobody knows which notifications were missed. Each feed is resumed when its browser opens it again.
      this.#endAll()
    }
    opening.then(({ lost }) => lost).catch(forget)
    this.#sweeping ??= setInterval(() => this.#traders.sweep(), SWEEP_MS).unref()
    return opening
  }

  /** @param payload a topic and a person, as the triggers of 0007_processes.sql write it */
  #changed(payload: string): void {
    const [topic, userId = ''] = payload.split(':')
    for (const viewer of this.#viewers.get(userId) ?? []) {
      if (topic === 'session') void this.#judge(viewer)
      else if (topic === 'subscriptions') viewer.followsOthers()
      else if (topic === 'payouts' || topic === 'activity') viewer.send({ type: 'changed', what: topic })
    }
  }

  async #judge(viewer: FeedViewer): Promise<void> {
    if (!(await this.#isLetIn(viewer).catch(() => false))) viewer.end()
  }

  #isLetIn({ caller }: FeedViewer): Promise<boolean> {
    return isStillLetIn(this.#deps, caller, this.#deps.clock.now())
  }

  #endAll(): void {
    if (this.#sweeping) clearInterval(this.#sweeping)
    this.#sweeping = null
    this.#marks.end()
    for (const ofPerson of [...this.#viewers.values()]) for (const viewer of [...ofPerson]) viewer.end()
  }
}
