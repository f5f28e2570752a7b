import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { useId } from 'react'
import { FollowingCard, FollowingSkeleton } from '../features/payments/following-card.tsx'
import { SubscriptionMenu } from '../features/payments/subscription-menu.tsx'
import { AllClosed } from '../features/traders/all-closed.tsx'
import { AverageHero } from '../features/traders/average-hero.tsx'
import { PastPlan } from '../features/traders/past-plan.tsx'
import { ProfileHead } from '../features/traders/profile-head.tsx'
import { RecentPositions } from '../features/traders/recent-positions.tsx'
import { RecordCheck } from '../features/traders/record-check.tsx'
import { RecordFigures } from '../features/traders/record-figures.tsx'
import { ShareButton } from '../features/traders/share-button.tsx'
import { SubscribeButton } from '../features/traders/subscribe-button.tsx'
import { SuspendedTrader } from '../features/traders/suspended-trader.tsx'
import { TrackRecordCard } from '../features/traders/track-record-card.tsx'
import { RecentSkeleton, StatsSkeleton, TrackSkeleton } from '../features/traders/trader-skeleton.tsx'
import { TraderStats } from '../features/traders/trader-stats.tsx'
import { profileQuery } from '../features/traders/traders.api.ts'
import { isUnknownTrader, UnknownTrader } from '../features/traders/unknown-trader.tsx'
import { useTraderName } from '../features/traders/use-trader-name.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { Navigate } from '../lib/router.tsx'
import { useMinute } from '../lib/use-minute.ts'
import { ErrorBoundary } from '../ui/error-boundary.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { RefreshFailure } from '../ui/refresh-failure.tsx'
import { RiskLine } from '../ui/risk-line.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { WithAside } from '../ui/with-aside.tsx'

const FOLLOWING = 'Following'

/** /trader/{username} (docs/specification.md section 2). */
export function TraderScreen() {
  const { username, elsewhere } = useTraderName(webPaths.trader)
  const profile = useQuery(profileQuery(username))
  const now = useMinute()
  const reasonId = useId()
  const { data, error, isError } = profile
  const name = data?.username ?? username
  if (elsewhere !== null) return <Navigate to={elsewhere} replace />
  if (data === undefined && isError && isUnknownTrader(error)) return <UnknownTrader />
  return (
    <div className="space-y-8">
      <ProfileHead
        name={name}
        profile={data}
        actions={
          <>
            {data && (
              <div className="flex flex-wrap items-center gap-3">
                <ErrorBoundary>
                  <SubscribeButton username={name} profile={data} reasonId={reasonId} />
                  {data.isSubscribed && !data.isSelf && <SubscriptionMenu username={name} />}
                  {!data.suspended && (
                    <ShareButton
                      username={name}
                      isPublic={data.publicPage === true}
                      offersPage={data.isSelf}
                    />
                  )}
                </ErrorBoundary>
              </div>
            )}
            {data === undefined && !isError && <Skeleton className="h-11 w-40 sm:h-10" />}
          </>
        }
      />
      {data === undefined && isError && (
        <ErrorPanel message={messageOf(error)} onRetry={() => void profile.refetch()} />
      )}
      {data === undefined && !isError && (
        <>
          <WithAside label={FOLLOWING} aside={<FollowingSkeleton />}>
            <StatsSkeleton />
          </WithAside>
          <TrackSkeleton />
          <RecentSkeleton />
        </>
      )}
      {data && isError && (
        <RefreshFailure message={messageOf(error)} onRetry={() => void profile.refetch()} />
      )}
      {data?.suspended && <SuspendedTrader id={reasonId} username={name} isSubscribed={data.isSubscribed} />}
      {data && !data.suspended && (
        <>
          <WithAside label={FOLLOWING} aside={<FollowingCard id={reasonId} username={name} profile={data} />}>
            <div className="space-y-6">
              <ErrorBoundary>
                <AverageHero username={name} profile={data} />
              </ErrorBoundary>
              <TraderStats profile={data} />
              {data.record && <RecordFigures record={data.record} />}
            </div>
          </WithAside>
          <ErrorBoundary>
            <RecordCheck key={name} username={name} profile={data} now={now} />
          </ErrorBoundary>
          <ErrorBoundary>
            <TrackRecordCard username={name} profile={data} now={now} />
          </ErrorBoundary>
          <ErrorBoundary>
            <PastPlan profile={data} now={now} />
            <RecentPositions profile={data} now={now} />
          </ErrorBoundary>
          <ErrorBoundary>
            <AllClosed username={name} count={data.closedPositions} />
          </ErrorBoundary>
          <RiskLine />
        </>
      )}
    </div>
  )
}
