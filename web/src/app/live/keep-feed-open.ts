import { authClient } from '../../lib/auth-client.ts'
import { type FeedReader, readFeed } from '../../lib/feed-stream.ts'

/** A feed that was open is opened again within this, at a moment of its own: all browsers lose theirs when a server restarts. */
const FIRST_PAUSE_MS = 2000
const LONGEST_PAUSE_MS = 30_000

/**
 * Keeps a feed open until `ending` is aborted: opens it again where it was whenever it ends, with pauses that grow while that fails, and at
 * once with a new access token, since the server ends a feed with the token that opened it.
 * @param place.id of the last message; '' for none
 * @param onClosed called each time it ends
 */
export async function keepFeedOpen(
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

/** Resolves a task after the page's load: to WebKit a page that was gone back to loads for as long as a feed does that began before. */
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
