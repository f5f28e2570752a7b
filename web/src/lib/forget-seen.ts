import { SEEN_STORAGE_KEY } from '@tradepost/contract/storage-keys'

/** Deletes what the person who was signed in saw last (app/live/seen.ts). */
export function forgetSeen(): void {
  try {
    localStorage.removeItem(SEEN_STORAGE_KEY)
  } catch {
    // Storage is forbidden: nothing is kept.
  }
}
