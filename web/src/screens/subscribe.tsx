import { usePrefetchQuery, useQuery, useQueryClient } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { accountQuery } from '../features/account/account.api.ts'
import { DISCOUNT, isNoCode } from '../features/payments/discount-codes.api.ts'
import { customerQuery, isOfOldPrice } from '../features/payments/payments.api.ts'
import { SubscribePanel } from '../features/payments/subscribe-panel.tsx'
import { SubscribeSkeleton } from '../features/payments/subscribe-skeleton.tsx'
import { TraderRecord, TraderRecordLine, TraderRecordSkeleton } from '../features/traders/trader-record.tsx'
import { profileQuery } from '../features/traders/traders.api.ts'
import { isUnknownTrader, UnknownTrader } from '../features/traders/unknown-trader.tsx'
import { useTraderName } from '../features/traders/use-trader-name.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { makeStale } from '../lib/query-client.ts'
import { Navigate } from '../lib/router.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { WithAside } from '../ui/with-aside.tsx'

const RECORD = 'The trader’s record'

/** /trader/{username}/subscribe (docs/specification.md section 2). */
export function SubscribeScreen() {
  const { username, elsewhere } = useTraderName(webPaths.subscribe)
  const client = useQueryClient()
  const { data, error, isError, refetch } = useQuery(profileQuery(username))
  // Most who come here will need it: asked for while the profile is on its way.
  usePrefetchQuery(customerQuery)
  if (elsewhere !== null) return <Navigate to={elsewhere} replace />
  if (data === undefined && isError && isUnknownTrader(error)) return <UnknownTrader />

  function lookAgain(reason: unknown): void {
    const old = isOfOldPrice(reason) ? [profileQuery(username)] : []
    if (isNoCode(reason)) void makeStale(client, DISCOUNT)
    for (const { queryKey } of [accountQuery, customerQuery, ...old]) void makeStale(client, queryKey)
  }
  /** A prefetched query may have failed with it. */
  function askAgain(): void {
    void makeStale(client, customerQuery.queryKey)
    void refetch()
  }
  return (
    <div className="space-y-6">
      <h1 className="text-2xl font-semibold tracking-tight wrap-anywhere">
        <span>{'Subscribe to '}</span>
        <span translate="no">{`@${username}`}</span>
      </h1>
      {data === undefined && isError && <ErrorPanel message={messageOf(error)} onRetry={askAgain} />}
      {data === undefined && !isError && (
        <WithAside label={RECORD} besideOnly aside={<TraderRecordSkeleton />}>
          <SubscribeSkeleton />
        </WithAside>
      )}
      {data && !data.suspended && (
        <WithAside
          label={RECORD}
          besideOnly
          aside={<TraderRecord username={data.username ?? username} profile={data} />}
        >
          <SubscribePanel
            username={username}
            profile={data}
            standing={<TraderRecordLine username={data.username ?? username} profile={data} />}
            onFailure={lookAgain}
          />
        </WithAside>
      )}
      {data?.suspended && (
        <SubscribePanel
          username={username}
          profile={data}
          standing={<TraderRecordLine username={data.username ?? username} profile={data} />}
          onFailure={lookAgain}
        />
      )}
    </div>
  )
}
