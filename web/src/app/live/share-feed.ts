import type { FeedMessage } from '@tradepost/contract/feed'
import { authClient } from '../../lib/auth-client.ts'
import { type FeedReader, readFeed } from '../../lib/feed-stream.ts'
import { noteServerTime } from '../../lib/server-time.ts'

/** A feed that was open is opened again within this, at a moment of its own: all browsers lose theirs when a server restarts. */
const FIRST_PAUSE_MS = 2000

const LONGEST_PAUSE_MS = 30_000

/** A tab that reads passes on what comes at least every 40 s; one that a browser has put to sleep does not, and holds its lock all the same. */
const SILENT_MS = 50_000

const WATCHED_EVERY_MS = 5000

/** The messages between the tabs of a browser. */
type Note =
  | { kind: 'message'; message: FeedMessage; id: string }
  | { kind: 'alive'; said: string; since: number }
  | { kind: 'closed' }
  /** A tab has come: it cannot have received the earlier messages. */
  | { kind: 'came' }
  | { kind: 'state'; open: boolean; id: string; changedAt: number | null }

export type SharedFeed = {
  onMessage(message: FeedMessage): void
  /**
   * The tab receives the feed from here on.
   * @param changedAt when lists changed last, by the clock of this device; null for not known to have
   */
  onJoined(changedAt: number | null): void
  /** Whether somebody reads a feed for this tab. */
  onOpen(open: boolean): void
}

/**
 * One feed for all tabs of a browser, since HTTP/1.1 allows six connections to a host: the tab that holds a lock reads it and passes every
 * message on; another takes over when that tab closes, or is silent while somebody looks at this one.
 */
export function shareFeed(userId: string, listener: SharedFeed, ending: AbortSignal): void {
  const name = `tradepost-feed-${userId}`
  const channel = new BroadcastChannel(name)
  const tab = new Tab(channel, listener)
  channel.onmessage = ({ data }: MessageEvent<Note>) => tab.take(data)
  ending.addEventListener('abort', () => channel.close())
  channel.postMessage({ kind: 'came' } satisfies Note)
  void takeTurns(name, tab, ending)
}

/** Waits for the lock and reads while it has it; takes it from a tab that is silent. */
async function takeTurns(name: string, tab: Tab, ending: AbortSignal): Promise<void> {
  while (!ending.aborted) {
    const impatient = new AbortController()
    const watch = setInterval(() => tab.isLeft() && impatient.abort(), WATCHED_EVERY_MS)
    const signal = AbortSignal.any([ending, impatient.signal])
    const ended = await hold(name, { signal }, tab, ending).finally(() => clearInterval(watch))
    if (impatient.signal.aborted && !ending.aborted) await hold(name, { steal: true }, tab, ending)
    else if (ended === 'failed') return
  }
}

/** @returns `lost` when another tab took the lock or the wait was given up, `failed` where there are no locks */
async function hold(
  name: string,
  options: LockOptions,
  tab: Tab,
  ending: AbortSignal,
): Promise<'lost' | 'failed' | 'over'> {
  const losing = new AbortController()
  try {
    await navigator.locks.request(name, options, () => tab.readFeed(AbortSignal.any([ending, losing.signal])))
    return 'over'
  } catch (error) {
    return error instanceof DOMException && error.name === 'AbortError' ? 'lost' : 'failed'
  } finally {
    losing.abort()
  }
}

class Tab {
  readonly #channel: BroadcastChannel
  readonly #listener: SharedFeed
  readonly #place = { id: '' }
  #reads = false
  #open = false
  #changedAt: number | null = null
  #receivedAt = performance.now()

  constructor(channel: BroadcastChannel, listener: SharedFeed) {
    this.#channel = channel
    this.#listener = listener
  }

  /** Whether it looks as if nobody read for this tab while a person looks at it. */
  isLeft(): boolean {
    const silentFor = performance.now() - this.#receivedAt
    return !this.#reads && document.visibilityState === 'visible' && silentFor > SILENT_MS
  }

  async readFeed(ending: AbortSignal): Promise<void> {
    this.#reads = true
    const reader = {
      onMessage: (message: FeedMessage, id: string) => this.#pass({ kind: 'message', message, id }),
      onAlive: (said: string, since: number) => this.#pass({ kind: 'alive', said, since }),
      onClosed: () => this.#pass({ kind: 'closed' }),
    }
    await keepFeedOpen(this.#place, reader, ending).finally(() => {
      this.#reads = false
    })
  }

  #pass(note: Note): void {
    this.take(note)
    this.#channel.postMessage(note)
  }

  take(note: Note): void {
    if (note.kind === 'came') {
      if (this.#reads) this.#channel.postMessage(this.#state())
      return
    }
    this.#receivedAt = performance.now()
    if (note.kind === 'alive') noteServerTime(note.said, note.since)
    if (note.kind === 'state') this.#join(note)
    if (note.kind === 'closed') this.#setOpen(false)
    if (note.kind !== 'message') return
    this.#place.id = note.id
    this.#setOpen(true)
    if (note.message.type !== 'marks') this.#changedAt = changeOf(note.message, this.#changedAt)
    this.#listener.onMessage(note.message)
  }

  #state(): Note {
    return { kind: 'state', open: this.#open, id: this.#place.id, changedAt: this.#changedAt }
  }

  /** Takes over the place of a tab that reads already. Its answer to a tab that has come reaches all tabs. */
  #join({ changedAt, id, open }: Note & { kind: 'state' }): void {
    if (this.#place.id !== '' || id === '') return
    this.#place.id = id
    this.#changedAt = changedAt
    this.#setOpen(open)
    this.#listener.onJoined(changedAt)
  }

  #setOpen(open: boolean): void {
    if (this.#open === open) return
    this.#open = open
    this.#listener.onOpen(open)
  }
}

/** When lists changed last, by the clock of this device. */
function changeOf(message: FeedMessage, before: number | null): number | null {
  if (message.type !== 'ready') return Date.now()
  return changedAtHere(message) ?? before
}

/** The first message's instant of the last change, by the clock of this device; null for never. */
export function changedAtHere({ changedAt, now }: { changedAt: string | null; now: string }): number | null {
  return changedAt === null ? null : Date.now() - (Date.parse(now) - Date.parse(changedAt))
}

/**
 * Keeps a feed open until `ending` is aborted: opens it again where it was whenever it ends, with pauses that grow while that fails, and at
 * once with a new access token, since the server ends a feed with the token that opened it.
 * @param place.id of the last message; '' for none
 * @param onClosed called each time it ends
 */
async function keepFeedOpen(
  place: { id: string },
  reader: FeedReader & { onClosed(): void },
  ending: AbortSignal,
): Promise<void> {
  let failures = 0
  let renewing = new AbortController()
  const { data } = authClient.onAuthStateChange((event) => {
    if (event === 'TOKEN_REFRESHED') renewing.abort()
  })
  if (document.readyState !== 'complete') await loaded()
  while (!ending.aborted) {
    renewing = new AbortController()
    const renewal = renewing.signal
    const { opened, retryAfterMs } = await readFeed(place.id, reader, AbortSignal.any([ending, renewal]))
    if (ending.aborted) break
    failures = opened ? 0 : failures + 1
    if (renewal.aborted) continue
    reader.onClosed()
    await pauseOf(retryAfterMs + drawnPauseMs(failures), ending)
  }
  data.subscription.unsubscribe()
}

/** Resolves a task after the page's load event. To WebKit, a page reached by Back loads for as long as a feed that began before. */
function loaded(): Promise<void> {
  return new Promise((resolve) => window.addEventListener('load', () => setTimeout(resolve), { once: true }))
}

function drawnPauseMs(failures: number): number {
  return Math.random() * Math.min(FIRST_PAUSE_MS * 2 ** failures, LONGEST_PAUSE_MS)
}

/** Ends early when a network is back. */
function pauseOf(milliseconds: number, ending: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = new AbortController()
    const end = () => {
      clearTimeout(timer)
      over.abort()
      resolve()
    }
    const timer = setTimeout(end, milliseconds)
    window.addEventListener('online', end, { signal: over.signal })
    ending.addEventListener('abort', end, { signal: over.signal })
  })
}
