import { parseActivityItemId } from '@tradepost/contract/activity-item'
import { webPaths } from '@tradepost/contract/web-paths'

/*
 * The address that somebody came for who has to sign in first: a guarded page, or the item of Activity that the button of a mail led to. It is
 * kept where tabs share it, since a sign-in link opens a new one. Nothing but the address is kept.
 */

const KEY = 'tradepost-wanted'
const LIFE_MS = 60 * 60_000
/** A path of ours and not another site's: browsers take a backslash for a slash. */
const OURS = /^\/(?!\/)[\x21-\x5b\x5d-\x7e]{1,200}$/
const ITEM = webPaths.activityItem('')

/** Keeps an address for an hour; one of another site is left alone. @param now milliseconds since 1970 */
export function keepWanted(address: string, now: number): void {
  try {
    if (OURS.test(address)) localStorage.setItem(KEY, `${now} ${address}`)
  } catch {
    // Storage is forbidden: the address is known in this tab alone.
  }
}

/** Keeps an item of Activity; anything else is left alone. */
export function keepWantedItem(item: string, now: number): void {
  if (parseActivityItemId(item)) keepWanted(webPaths.activityItem(item), now)
}

/** The address that somebody wanted within the last hour; null for none. @param now milliseconds since 1970 */
export function readWanted(now: number): string | null {
  try {
    const [at = '', address = ''] = localStorage.getItem(KEY)?.split(' ') ?? []
    const age = now - Number(at)
    return at !== '' && OURS.test(address) && age >= 0 && age < LIFE_MS ? address : null
  } catch {
    return null
  }
}

/** The item of Activity that was wanted; null where it was something else. */
export function readWantedItem(now: number): string | null {
  const wanted = readWanted(now)
  const item = wanted?.startsWith(ITEM) ? wanted.slice(ITEM.length) : ''
  return parseActivityItemId(item) ? item : null
}

/** Forgets the address that was wanted once its page is shown, however somebody got there. @param pathname of the page, @param now milliseconds since 1970 */
export function noteArrival(pathname: string, now: number): void {
  if (readWanted(now)?.split(/[?#]/)[0] === pathname) forgetWanted()
}

export function forgetWanted(): void {
  try {
    localStorage.removeItem(KEY)
  } catch {
    // Nothing was kept.
  }
}
