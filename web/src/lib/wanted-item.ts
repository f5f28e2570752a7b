import { parseActivityItemId } from '@tradepost/contract/activity-item'

/*
 * The item of Activity that the button of a mail led somebody to who has to sign in first. The address of /login names it; here it is
 * kept where tabs share it, since a sign-in link opens a new one. Nothing but the name of an item is kept.
 */

const KEY = 'tradepost-wanted-item'
const LIFE_MS = 60 * 60_000

/** Keeps an item for an hour; anything else is left alone. @param now milliseconds since 1970 */
export function keepWanted(item: string, now: number): void {
  try {
    if (parseActivityItemId(item)) localStorage.setItem(KEY, `${now} ${item}`)
  } catch {
    // Storage is forbidden: the item is known in this tab alone.
  }
}

/** The item that somebody wanted within the last hour; null for none. @param now milliseconds since 1970 */
export function readWanted(now: number): string | null {
  try {
    const [at = '', item = ''] = localStorage.getItem(KEY)?.split(' ') ?? []
    const age = now - Number(at)
    return parseActivityItemId(item) && age >= 0 && age < LIFE_MS ? item : null
  } catch {
    return null
  }
}

export function forgetWanted(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}
