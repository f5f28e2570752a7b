import { readableName } from '@tradepost/contract/company-name'
import type { FeedMessage } from '@tradepost/contract/feed'
import { gainNumber } from '@tradepost/contract/gain'
import { findBehind } from '../events/events.queries.ts'
import { coalesce } from '../platform/cache/coalesce.ts'
import type { Queryable } from '../platform/database/queryable.ts'
import { type Log, reasonOf } from '../platform/log.ts'
import { presentPosition, settledOf } from '../positions/record/shown-position.ts'
import { findEventsAfter, type PublishedEvent } from './feed.queries.ts'

/** Events of one read. */
const EVENTS_AT_ONCE = 50

/** A receiver of traders' events. */
export type FeedClient = {
  readonly caller: { userId: string }
  /** The last event of each trader that was sent or passed over. */
  readonly cursors: Map<string, number>
  /** @param data a message as JSON, which many feedClients share */
  writeEvent(data: string): void
}

type Trader = { feedClients: Set<FeedClient>; readAll: () => Promise<void> }

/**
 * The traders whose events the feedClients of this process receive. An event of another trader costs nothing; an event of theirs is read
 * once for all feedClients.
 */
export class FeedTraders {
  readonly #deps: { db: Queryable; log: Log }
  readonly #traders = new Map<string, Trader>()
  /** The followed traders and the lowest cursor of each, for a sweep. Null once either changes. */
  #known: { traderIds: string; eventNos: string } | null = null

  constructor(deps: { db: Queryable; log: Log }) {
    this.#deps = deps
  }

  /** The feedClient has its cursor there already. */
  join(feedClient: FeedClient, traderId: string): void {
    const trader = this.#traders.get(traderId) ?? this.#add(traderId)
    trader.feedClients.add(feedClient)
    this.#known = null
  }

  leave(feedClient: FeedClient, traderId: string): void {
    const trader = this.#traders.get(traderId)
    trader?.feedClients.delete(feedClient)
    this.#known = null
    if (trader?.feedClients.size === 0) this.#traders.delete(traderId)
  }

  /** Something may have been published. Without an answer of the database the next sweep asks again. */
  read(traderId: string): void {
    this.#traders
      .get(traderId)
      ?.readAll()
      .catch((error: unknown) => this.#deps.log.warn({ reason: reasonOf(error) }, 'live feeds are late'))
  }

  /** Sends every event that is committed when it begins. */
  async readAll(traderId: string): Promise<void> {
    await this.#traders.get(traderId)?.readAll()
  }

  /** Ids of the traders that some feedClient follows. */
  traderIds(): string[] {
    return [...this.#traders.keys()]
  }

  feedClientsOf(traderId: string): Iterable<FeedClient> {
    return this.#traders.get(traderId)?.feedClients ?? []
  }

  /** Looks for events for which no notification came. */
  sweep(): void {
    if (this.#traders.size === 0) return
    this.#known ??= this.#listKnown()
    findBehind(this.#deps.db, this.#known).then(
      (traderIds) => {
        for (const traderId of traderIds) this.read(traderId)
      },
      (error: unknown) =>
        this.#deps.log.warn({ reason: reasonOf(error) }, 'live feeds could not look for events'),
    )
  }

  #listKnown(): { traderIds: string; eventNos: string } {
    const traderIds = this.traderIds()
    const eventNos = traderIds.map((traderId) => this.#lowestCursor(traderId))
    return { traderIds: `{${traderIds.join()}}`, eventNos: `{${eventNos.join()}}` }
  }

  #add(traderId: string): Trader {
    const trader: Trader = {
      feedClients: new Set<FeedClient>(),
      readAll: coalesce(() => this.#read(traderId, trader)),
    }
    this.#traders.set(traderId, trader)
    return trader
  }

  async #read(traderId: string, trader: Trader): Promise<void> {
    for (;;) {
      // A feedClient that joins during the query was not part of it; its own `readAll` reads again.
      const feedClients = [...trader.feedClients]
      if (feedClients.length === 0) return
      const events = await findEventsAfter(this.#deps.db, {
        traderId,
        after: this.#lowestCursor(traderId),
        viewers: [...new Set(feedClients.map(({ caller }) => caller.userId))],
        limit: EVENTS_AT_ONCE,
      })
      for (const event of events) sendTo(feedClients, traderId, event)
      if (events.length > 0) this.#known = null
      if (events.length < EVENTS_AT_ONCE) return
    }
  }

  #lowestCursor(traderId: string): number {
    let lowest = Number.POSITIVE_INFINITY
    for (const { cursors } of this.#traders.get(traderId)?.feedClients ?? []) {
      lowest = Math.min(lowest, cursors.get(traderId) ?? lowest)
    }
    return Number.isFinite(lowest) ? lowest : 0
  }
}

function sendTo(feedClients: FeedClient[], traderId: string, event: PublishedEvent): void {
  const entitled = new Set(event.entitled)
  const message = JSON.stringify(present(event))
  for (const feedClient of feedClients) {
    const lastSent = feedClient.cursors.get(traderId)
    if (lastSent === undefined || lastSent >= event.eventNo) continue
    feedClient.cursors.set(traderId, event.eventNo)
    if (entitled.has(feedClient.caller.userId)) feedClient.writeEvent(message)
  }
}

function present(event: PublishedEvent): FeedMessage {
  const at = event.createdAt.toISOString()
  const { closePrice, kind, percentageGain, username } = event
  const companyName = event.companyName === null ? undefined : readableName(event.companyName)
  const isOpening = kind === 'opened' || kind === 'adjusted'
  const active = isOpening && closePrice === null
  const position = presentPosition(event, { active, username, companyName })
  if (isOpening) return { type: kind, at, position }
  return {
    type: kind,
    at,
    position,
    closePrice: Number(closePrice),
    percentageGain: gainNumber(percentageGain ?? '0'),
    settled: settledOf(event),
  }
}
