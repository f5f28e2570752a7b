import { VISITS_STORAGE_KEY } from '@tradepost/contract/storage-keys'

/** Whether somebody signed in was in this browser before: in another session of a tab, or an earlier one of this tab. Counts this one. */
export function isLaterVisit(): boolean {
  try {
    if (sessionStorage.getItem(VISITS_STORAGE_KEY) === null) {
      sessionStorage.setItem(VISITS_STORAGE_KEY, localStorage.getItem(VISITS_STORAGE_KEY) ?? 'first')
      localStorage.setItem(VISITS_STORAGE_KEY, 'later')
    }
    return sessionStorage.getItem(VISITS_STORAGE_KEY) === 'later'
  } catch {
    // Storage is forbidden: every visit is the first.
    return false
  }
}

/** Once a session is over, nothing of it is left in this browser (rule G-12). */
export function forgetVisits(): void {
  try {
    localStorage.removeItem(VISITS_STORAGE_KEY)
  } catch {
    // Nothing was kept.
  }
}
