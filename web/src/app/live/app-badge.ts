import type { QueryClient } from '@tanstack/react-query'
import { unreadQuery } from '../../features/activity/unread.api.ts'

/** Shows on the icon of the installed app how many items of Activity are unread, until `ending` is aborted: a visitor has none. */
export function keepAppBadge(client: QueryClient, ending: AbortSignal): void {
  // Browsers without icons of apps do not have it.
  if (!('setAppBadge' in navigator)) return
  const show = () => {
    const unread = client.getQueryData(unreadQuery.queryKey)?.unread
    if (unread === undefined) return
    // Zero should take the mark away too, and does not everywhere. A browser may forbid it, and nothing depends on it.
    const done = unread === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(unread)
    done.catch(() => undefined)
  }
  const end = client.getQueryCache().subscribe(({ query, type }) => {
    if (type === 'updated' && query.queryKey === unreadQuery.queryKey) show()
  })
  show()
  ending.addEventListener('abort', () => {
    end()
    navigator.clearAppBadge().catch(() => undefined)
  })
}
