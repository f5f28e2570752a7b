import type { PushMessage } from '@tradepost/contract/push-worker'
import { webPaths } from '@tradepost/contract/web-paths'

/** The data that the worker stores with a notification. */
export type NotificationData = { path: string; off: string | null }

type Shown = NotificationOptions & {
  title: string
  data: NotificationData
  /** As the Notifications API has them; the compiler's library leaves them out. */
  actions?: { action: string; title: string }[]
  timestamp?: number
}

const ICON = '/icons/icon-192.png'
const TEXTS = {
  opened: { did: 'opened', body: 'A new position. Tap to see it.' },
  closed: { did: 'closed', body: 'A position was closed. Tap to see how it went.' },
  adjusted: { did: 'has news of', body: 'A position was adjusted. Tap to see what changed.' },
} as const

/**
 * The notification for a message. A browser that gets a message has to show something, so one that cannot be read, perhaps of a later
 * version, announces that there is news.
 */
export function notificationOf(text: string | undefined): Shown {
  const message = read(text)
  if (!message) {
    const data = { path: webPaths.followedPositions, off: null }
    return { title: 'Tradepost', body: 'There is news. Tap to see it.', icon: ICON, tag: 'news', data }
  }
  const { at, id, kind, off, symbol, tag, trader } = message
  const { body, did } = TEXTS[kind]
  return {
    title: `@${trader} ${did} ${symbol}`,
    body,
    icon: ICON,
    // A later copy takes the place of the first, in silence.
    tag,
    timestamp: at,
    data: { path: webPaths.activityItem(id), off },
    actions: [{ action: 'off', title: 'Turn off' }],
  }
}

function read(text: string | undefined): PushMessage | null {
  try {
    const message = JSON.parse(text ?? '') as PushMessage
    return message.kind in TEXTS && typeof message.tag === 'string' ? message : null
  } catch {
    return null
  }
}
