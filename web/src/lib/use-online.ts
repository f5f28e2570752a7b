import { onlineManager } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

/** Any answer of the server will do, and this one costs it nothing. */
const PLACE = '/healthz'

/** As long as the browser says that there is no network, the server is asked again after this. */
const AGAIN_MS = 5000

/** A browser's word that it has no network is a hint: some say so beside a network that works. So the server is asked. */
onlineManager.setEventListener((setOnline) => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const judge = async () => {
    clearTimeout(timer)
    const isReached = navigator.onLine || (await isThere())
    setOnline(isReached || navigator.onLine)
    if (!navigator.onLine) timer = setTimeout(judge, AGAIN_MS)
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
  return fetch(PLACE, { cache: 'no-store' }).then(
    () => true,
    () => false,
  )
}

/** To be called with every answer: the server is reached, whatever the browser says. */
export function noteReached(): void {
  onlineManager.setOnline(true)
}

/** Whether there is a network, as far as is known; with one, a server can still be out of reach. */
export function useOnline(): boolean {
  return useSyncExternalStore(
    (onChange) => onlineManager.subscribe(onChange),
    () => onlineManager.isOnline(),
  )
}
