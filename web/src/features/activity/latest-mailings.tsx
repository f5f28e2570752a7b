import { useQuery } from '@tanstack/react-query'
import type { MailingsAnswer } from '@tradepost/contract/activity'
import { webPaths } from '@tradepost/contract/web-paths'
import { messageOf } from '../../lib/api-refusal.ts'
import { formatExactTime, formatTime } from '../../lib/format.ts'
import { Link } from '../../lib/router.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { mailingsQuery } from './activity.api.ts'
import { mailingWords } from './mailing-words.ts'

/** How the mails of a trader's latest events went (rule G-100); nothing before the first event. */
export function LatestMailings() {
  const { data, error, isError, refetch } = useQuery(mailingsQuery)
  if (data === undefined && isError)
    return <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  if (data === undefined || data.events.length === 0) return null
  return (
    <div className="space-y-2">
      <h3 className="text-sm font-semibold">Mails of your latest positions</h3>
      <ul className="space-y-3">
        {data.events.map((event) => (
          <li key={event.id}>
            <MailingLine event={event} />
          </li>
        ))}
      </ul>
    </div>
  )
}

function MailingLine({
  event: { at, id, kind, mailing, symbol },
}: {
  event: MailingsAnswer['events'][number]
}) {
  return (
    <>
      <p>
        <Link to={webPaths.activityItem(id)} className="font-medium underline underline-offset-4">
          {`${symbol} ${kind}`}
        </Link>
        <span> </span>
        <time dateTime={at} title={formatExactTime(at)} className="text-sm text-muted-foreground">
          {formatTime(at)}
        </time>
      </p>
      <p className="text-sm tabular-nums">{mailingWords(mailing)}</p>
    </>
  )
}
