import type { ActivityItem } from '@tradepost/contract/activity'
import { formatClock, formatDate } from '../../lib/format.ts'
import { ActivitySentence } from './activity-sentence.tsx'
import { explanationOf } from './explanation.ts'
import { mailedWords, mailingWords } from './mailing-words.ts'

const WAITS =
  'The position is closed. Its final price is that of the first trade after the close. Until then it counts in no average.'

/** An item in the window of its position: the event without the gain, which stands large below, and how its mails went. */
export function ActivityEvent({ item }: { item: ActivityItem }) {
  const { close, mailedAfterSeconds, mailing } = item
  const explanation = close?.settled === false ? WAITS : explanationOf(item)
  const mailed = mailing
    ? mailingWords(mailing)
    : mailedAfterSeconds !== undefined && mailedWords(mailedAfterSeconds)
  return (
    <div data-slot="activity-event" className="space-y-1">
      <p className="font-medium wrap-anywhere">
        <ActivitySentence item={item} gain={false} />
      </p>
      {explanation !== null && <p className="text-sm">{explanation}</p>}
      <p className="text-sm text-muted-foreground tabular-nums">
        <time dateTime={item.at}>{`${formatDate(item.at)} · ${formatClock(item.at)}`}</time>
      </p>
      {mailed && <p className="text-sm text-muted-foreground tabular-nums">{mailed}</p>}
    </div>
  )
}
