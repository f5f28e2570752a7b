import { useSyncExternalStore } from 'react'
import { makeListeners } from './listeners.ts'

let found = false
const listeners = makeListeners()

/** To be called when the server sends something that this page does not know: it is of a newer version of the product. */
export function noteNewerVersion(): void {
  if (found) return
  found = true
  // Unknown words are found while React draws, when no state of another component may change.
  queueMicrotask(listeners.call)
}

/** Whether the server is known to be of a newer version than this page. */
export function useNewerVersion(): boolean {
  return useSyncExternalStore(listeners.add, () => found)
}
