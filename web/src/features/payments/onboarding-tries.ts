const STORAGE_KEY = 'tradepost-onboarding-tries'
const AUTOMATIC_TRIES = 2

/**
 * Counts one more automatic way back to the provider in this tab.
 * @returns false when there have been two: links that expire at once would send the browser round for ever
 */
export function allowsAutomaticTry(): boolean {
  const tries = Number(sessionStorage.getItem(STORAGE_KEY)) || 0
  if (tries >= AUTOMATIC_TRIES) return false
  sessionStorage.setItem(STORAGE_KEY, String(tries + 1))
  return true
}

/** Resets the count: the person has been through onboarding, or presses the button themselves. */
export function forgetAutomaticTries(): void {
  sessionStorage.removeItem(STORAGE_KEY)
}
