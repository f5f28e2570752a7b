import { onlineManager } from '@tanstack/react-query'
import { KEPT_ATTRIBUTE } from '@tradepost/contract/offline-start'
import { useSyncExternalStore } from 'react'

/** A path whose answer costs the server nothing. */
const PLACE = '/healthz'

/** While there seems to be no network, the server is asked again after this time; a slower answer counts as none. */
const AGAIN_MS = 5000

/** Whether the service worker answered this document, since the server could not be reached. */
export function isKeptDocument(): boolean {
  return document.documentElement.hasAttribute(KEPT_ATTRIBUTE)
}

/** While set, the browser's report of a network does not count, until the server is reached. */
let wasOutOfReach = isKeptDocument()
if (wasOutOfReach) onlineManager.setOnline(false)

const seemsOnline = () => navigator.onLine && !wasOutOfReach

/** A browser's offline event is a hint: some send it beside a network that works. So the server is asked. */
onlineManager.setEventListener((setOnline) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const judge = async () => {
    clearTimeout(timer)
    const isReached = seemsOnline() || (await isThere())
    if (isReached) wasOutOfReach = false
    setOnline(isReached || seemsOnline())
    if (!seemsOnline()) timer = setTimeout(judge, AGAIN_MS)
  }
  const ending = new AbortController()
  for (const event of ['online', 'offline']) window.addEventListener(event, judge, { signal: ending.signal })
  void judge()
  return () => {
    ending.abort()
    clearTimeout(timer)
  }
})

function isThere(): Promise<boolean> {
  return fetch(PLACE, { cache: 'no-store', signal: AbortSignal.timeout(AGAIN_MS) }).then(
    // A proxy answers for a server that it cannot reach.
    ({ ok }) => ok,
    () => false,
  )
}

/** To be called with every answer: the server is reached, whatever the browser reports. */
export function noteReached(): void {
  wasOutOfReach = false
  onlineManager.setOnline(true)
}

/** Whether the server can be reached; it is asked only where there seems to be no network. */
export async function isReachable(): Promise<boolean> {
  if (onlineManager.isOnline()) return true
  const isReached = await isThere()
  if (isReached) noteReached()
  return isReached
}

/** Whether there is a network, as far as is known; with one, a server can still be out of reach. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (onChange) => onlineManager.subscribe(onChange),
    () => onlineManager.isOnline(),
  )
}
