import { parseActivityItemId } from '@tradepost/contract/activity-item'
import { webPaths } from '@tradepost/contract/web-paths'

/*
 * Where the button of a mail leads somebody who has to sign in first: the one way back besides / (decisions G-02 and G-86). The
 * name of an item is all that is kept, so nobody is led anywhere else; where tabs share it, since a sign-in link opens a new one.
 */

const KEY = 'tradepost-wanted-item'
const LIFE_MS = 60 * 60_000

/** Keeps the item that an address of Activity names, for an hour. @param now milliseconds since 1970 */
export function keepWanted({ pathname, search }: { pathname: string; search: string }, now: number): void {
  const item = pathname === webPaths.activity ? new URLSearchParams(search).get('item') : null
  try {
    if (item !== null && parseActivityItemId(item)) localStorage.setItem(KEY, `${now} ${item}`)
  } catch {
    // Then the way leads to /.
  }
}

/** The address of the item that somebody wanted within the last hour; null for none. @param now milliseconds since 1970 */
export function wantedPath(now: number): string | null {
  try {
    const [at = '', item = ''] = localStorage.getItem(KEY)?.split(' ') ?? []
    const age = now - Number(at)
    return parseActivityItemId(item) && age >= 0 && age < LIFE_MS ? webPaths.activityItem(item) : null
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
