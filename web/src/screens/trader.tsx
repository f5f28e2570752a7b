import { useQuery } from '@tanstack/react-query'
import { RecentPositions } from '../features/traders/recent-positions.tsx'
import { SubscribeButton } from '../features/traders/subscribe-button.tsx'
import { TraderSkeleton } from '../features/traders/trader-skeleton.tsx'
import { TraderStats } from '../features/traders/trader-stats.tsx'
import { profileQuery } from '../features/traders/traders.api.ts'
import { isUnknownTrader, UnknownTrader } from '../features/traders/unknown-trader.tsx'
import { messageOf } from '../lib/api-refusal.ts'
import { useParams } from '../lib/router.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { RefreshFailure } from '../ui/refresh-failure.tsx'
import { Skeleton } from '../ui/skeleton.tsx'

/** /trader/{username} (docs/specification.md section 2). */
export function TraderScreen() {
  const { username = '' } = useParams()
  const profile = useQuery(profileQuery(username))
  const { data, error, isError } = profile
  if (data === undefined && isError && isUnknownTrader(error)) return <UnknownTrader />
  return (
    <div className="space-y-8">
      <header className="flex min-h-11 flex-wrap items-center justify-between gap-4">
        <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">{data?.username ?? username}</h1>
        {data && <SubscribeButton username={data.username ?? username} profile={data} />}
        {data === undefined && !isError && <Skeleton className="h-11 w-28 sm:h-10" />}
      </header>
      {data === undefined && isError && (
        <ErrorPanel message={messageOf(error)} onRetry={() => void profile.refetch()} />
      )}
      {data === undefined && !isError && <TraderSkeleton />}
      {data && (
        <>
          {isError && <RefreshFailure message={messageOf(error)} onRetry={() => void profile.refetch()} />}
          <TraderStats profile={data} />
          <RecentPositions profile={data} />
        </>
      )}
    </div>
  )
}
