import type { QueryClient } from '@tanstack/react-query'
import { FEED_HEARTBEAT_MS, FEED_TIMEOUT_MS, type FeedMessage } from '@tradepost/contract/feed'
import { registerServiceWorker } from '../../lib/service-worker.ts'
import { makeAnnouncer } from './announce-signals.ts'
import { askEverything, askUnnumbered, catchUp, changeBy, changeMarks, changeOwn } from './change-lists.ts'
import { keepSeen } from './seen.ts'
import { changedAtHere, shareFeed } from './share-feed.ts'
import { watchVersion } from './watch-version.ts'

/** Keeps what the page shows as new as what is published, until `ending` is aborted (decision 0061). */
export function startLive(client: QueryClient, userId: string, ending: AbortSignal): void {
  const page = new LivePage(client)
  // Service workers are for secure origins alone, and some browsers forbid them: then nothing starts without a network.
  if ('serviceWorker' in navigator) {
    keepSeen(client, userId, ending)
    void registerServiceWorker().catch(() => undefined)
  }
  // So are Web Locks.
  if ('locks' in navigator && 'BroadcastChannel' in window) shareFeed(userId, page, ending)
  watchVersion(
    () => page.isOpen,
    (isChange) => askEverything(client, isChange),
    ending,
  )
}

class LivePage {
  readonly #client: QueryClient
  readonly #announcer = makeAnnouncer()
  /** Until when everything was heard, by the clock of this device: null while a feed is open, 0 before the first. */
  #heardUntil: number | null = 0
  /** One message after the other: each changes what the one before has left. */
  #changing: Promise<void> = Promise.resolve()
  isOpen = false

  constructor(client: QueryClient) {
    this.#client = client
  }

  onOpen(open: boolean): void {
    this.isOpen = open
    // A connection that has ended may have been dead for so long.
    if (!open) this.#heardUntil = Date.now() - FEED_HEARTBEAT_MS - FEED_TIMEOUT_MS
  }

  onJoined(changedAt: number | null): void {
    catchUp(this.#client, changedAt, 0)
    this.#heardUntil = null
  }

  onMessage(message: FeedMessage): void {
    // One that cannot be taken does not keep the later ones back.
    this.#changing = this.#changing.then(() => this.#take(message)).catch(() => undefined)
  }

  async #take(message: FeedMessage): Promise<void> {
    if (message.type === 'ready') this.#ready(message)
    else if (message.type === 'changed') changeOwn(this.#client, message)
    else if (message.type === 'marks') changeMarks(this.#client, message.marks)
    else if (await changeBy(this.#client, message)) this.#announcer.announce(message)
  }

  #ready(message: Extract<FeedMessage, { type: 'ready' }>): void {
    const heardUntil = this.#heardUntil ?? Date.now()
    catchUp(this.#client, changedAtHere(message), message.resumed ? heardUntil : 0)
    if (this.#heardUntil) askUnnumbered(this.#client)
    this.#heardUntil = null
  }
}
