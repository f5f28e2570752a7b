import type { QueryClient } from '@tanstack/react-query'
import {
  FEED_HEARTBEAT_MS,
  FEED_TIMEOUT_MS,
  FEED_VERSION_EVERY_MS,
  type FeedMessage,
} from '@tradepost/contract/feed'
import { feedEndpoints } from '@tradepost/contract/feed-endpoints'
import { formatPrice } from '@tradepost/contract/gain'
import { MAIN_SCREEN_TOAST_MS } from '@tradepost/contract/limits'
import { closedSubject, openedSubject } from '@tradepost/contract/position-mail'
import { type ScreenName, webRoutes } from '@tradepost/contract/web-routes'
import { call } from '../../lib/api.ts'
import { registerServiceWorker } from '../../lib/service-worker.ts'
import { toast } from '../../ui/toast.ts'
import { findRoute } from '../find-route.ts'
import { keepAppBadge } from './app-badge.ts'
import { askEverything, askUnnumbered, catchUp, changeBy, changeMarks, changeOwn } from './change-lists.ts'
import { keepSeen } from './seen.ts'
import { changedAtHere, shareFeed } from './share-feed.ts'

type Signal = Extract<FeedMessage, { position: unknown }>

/** Changes within this time are announced together. */
const GATHERED_MS = 300

const SINGLE_MOST = 3

const MAIN_SCREENS: readonly ScreenName[] = ['positions', 'leaderboard', 'search', 'trade', 'trader']

/** Keeps what the page shows as new as what is published, until `ending` is aborted (ADR 0061). */
export function startLive(client: QueryClient, userId: string, ending: AbortSignal): void {
  const page = new LivePage(client)
  keepAppBadge(client, ending)
  // Service workers are for secure origins alone, and some browsers forbid them: then nothing starts without a network.
  if ('serviceWorker' in navigator) {
    keepSeen(client, userId, ending)
    void registerServiceWorker().catch(() => undefined)
  }
  // Web Locks too are for secure origins alone.
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
  /** Until when everything was received, by the clock of this device: null while a feed is open, 0 before the first. */
  #receivedUntil: number | null = 0
  /** One message after the other: each changes what the one before has left. */
  #changing: Promise<void> = Promise.resolve()
  isOpen = false

  constructor(client: QueryClient) {
    this.#client = client
  }

  onOpen(open: boolean): void {
    this.isOpen = open
    // A connection that has ended may have been dead for this long.
    if (!open) this.#receivedUntil = Date.now() - FEED_HEARTBEAT_MS - FEED_TIMEOUT_MS
  }

  onJoined(changedAt: number | null): void {
    catchUp(this.#client, changedAt, 0)
    this.#receivedUntil = this.isOpen ? null : Date.now()
  }

  onMessage(message: FeedMessage): void {
    // A message that cannot be applied does not keep the later ones back.
    this.#changing = this.#changing.then(() => this.#take(message)).catch(() => undefined)
  }

  async #take(message: FeedMessage): Promise<void> {
    if (message.type === 'ready') this.#ready(message)
    else if (message.type === 'changed') changeOwn(this.#client, message)
    else if (message.type === 'marks') changeMarks(this.#client, message.marks)
    else if (await changeBy(this.#client, message)) this.#announcer.announce(message)
  }

  #ready(message: Extract<FeedMessage, { type: 'ready' }>): void {
    const receivedUntil = this.#receivedUntil ?? Date.now()
    catchUp(this.#client, changedAtHere(message), message.resumed ? receivedUntil : 0)
    if (this.#receivedUntil) askUnnumbered(this.#client)
    this.#receivedUntil = null
  }
}

/**
 * While no feed reaches the page, asks every minute and whenever somebody comes back to it whether something has changed.
 * @param onChange called after the first answer too, with nothing to compare it with: its argument is false then
 */
function watchVersion(
  isOpen: () => boolean,
  onChange: (isChange: boolean) => void,
  ending: AbortSignal,
): void {
  let known = ''
  let asking = false
  const ask = async () => {
    if (asking || isOpen() || document.visibilityState !== 'visible') return
    asking = true
    try {
      const { version } = await call(feedEndpoints.feedVersion, undefined, ending)
      if (version !== known && !isOpen()) onChange(known !== '')
      known = version
    } catch {
      // The next minute asks again; a session that has ended is gone by then.
    } finally {
      asking = false
    }
  }
  const timer = setInterval(ask, FEED_VERSION_EVERY_MS)
  ending.addEventListener('abort', () => clearInterval(timer))
  window.addEventListener('focus', ask, { signal: ending })
  document.addEventListener('visibilitychange', ask, { signal: ending })
}

/** Announces new signals as toasts, which a screen reader reads when it pauses; several at once as one. */
export function makeAnnouncer(): { announce(signal: Signal): void } {
  let gathered: Signal[] = []
  const show = () => {
    const texts = gathered.map(textOf)
    gathered = []
    // Nobody sees a toast in a hidden tab; the list has it all.
    if (document.visibilityState !== 'visible') return
    const shown = texts.length > SINGLE_MOST ? [`${texts.length} new signals`] : texts
    for (const text of shown) toast(text, isMainScreen() ? { duration: MAIN_SCREEN_TOAST_MS } : undefined)
  }
  return {
    announce(signal) {
      if (gathered.length === 0) setTimeout(show, GATHERED_MS)
      gathered.push(signal)
    },
  }
}

/** Elsewhere a toast stays for the library's own time (docs/specification.md section 9). */
function isMainScreen(): boolean {
  const found = findRoute(Object.values(webRoutes), location.pathname, true)
  return 'shown' in found && MAIN_SCREENS.includes(found.shown.screen)
}

function textOf(signal: Signal): string {
  const { openPrice, stock: symbol, user: trader } = signal.position
  if (signal.type === 'opened') return openedSubject({ trader, symbol, openPrice })
  if (signal.type === 'closed') return closedSubject({ trader, symbol, openPrice, ...signal })
  if (signal.type === 'settled')
    return `@${trader}'s ${symbol} settled at ${formatPrice(signal.closePrice, openPrice)}`
  return `@${trader}'s ${symbol} was adjusted`
}
