import { useSyncExternalStore } from 'react'

let found = false
const listeners = new Set<() => void>()

/** To be called when the server says something that this page does not know: it is of a newer version of the product. */
export function noteNewerVersion(): void {
  if (found) return
  found = true
  // Words that are not known are found while something is drawn, which nothing else may be changed by.
  queueMicrotask(() => {
    for (const listener of listeners) listener()
  })
}

/** Whether the server is known to be of a newer version than this page. */
export function useNewerVersion(): boolean {
  return useSyncExternalStore(listen, () => found)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
