import { useSyncExternalStore } from 'react'
import { makeListeners } from './listeners.ts'

let found = false
const listeners = makeListeners()

/** To be called when the server sends something that this page does not know: it is of a newer version of the product. */
export function noteNewerVersion(): void {
  if (found) return
  found = true
  // Words that are not known are found while something is drawn, which nothing else may be changed by.
  queueMicrotask(listeners.call)
}

/** Whether the server is known to be of a newer version than this page. */
export function useNewerVersion(): boolean {
  return useSyncExternalStore(listeners.add, () => found)
}
