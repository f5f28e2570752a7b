import { useQuery } from '@tanstack/react-query'
import { ACTIVITY_UNREAD_MAX_COUNT } from '@tradepost/contract/limits'
import { unreadQuery } from './unread.api.ts'

/** How many items of Activity are unread, on the corner of what it stands in; nothing when none are. */
export function UnreadCount() {
  const unread = useQuery(unreadQuery).data?.unread ?? 0
  if (unread === 0) return null
  const shown = unread < ACTIVITY_UNREAD_MAX_COUNT ? `${unread}` : `${ACTIVITY_UNREAD_MAX_COUNT - 1}+`
  return (
    <span className="absolute top-0 right-0 min-w-5 rounded-full bg-action px-1 text-center text-xs font-semibold text-action-foreground tabular-nums">
      <span>{shown}</span>
      <span className="sr-only"> unread</span>
    </span>
  )
}
