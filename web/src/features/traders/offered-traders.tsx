import { useQuery } from '@tanstack/react-query'
import type { OfferedTrader } from '@tradepost/contract/leaderboard'
import { webPaths } from '@tradepost/contract/web-paths'
import { messageOf } from '../../lib/api-refusal.ts'
import { Link } from '../../lib/router.tsx'
import { cn } from '../../ui/cn.ts'
import { Gain } from '../../ui/gain.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { RefreshFailure } from '../../ui/refresh-failure.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Sparkline } from '../../ui/sparkline.tsx'
import { TraderPrice } from './trader-price.tsx'
import { offeredQuery } from './traders.api.ts'

const ROW =
  'flex min-h-16 items-center gap-3 rounded-lg px-3 outline-none focus-visible:ring-2 focus-visible:ring-ring'
const CURVE = { width: 72, height: 24 }
const SMALL = 'block text-[0.8125rem] leading-4.5 text-muted-foreground'

/** The best traders whom one can subscribe to, with the price: for somebody who follows nobody. */
export function OfferedTraders() {
  const { data, error, isError, refetch } = useQuery(offeredQuery)
  if (data === undefined && isError) {
    return <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />
  }
  if (data === undefined) return <OfferedSkeleton />
  if (data.traders.length === 0) {
    return (
      <p className="text-sm text-muted-foreground">
        Nobody takes subscribers yet. Traders appear here with their first closed position.
      </p>
    )
  }
  return (
    <ul className="-mx-3">
      {data.traders.map((trader) => (
        <li key={trader.username}>
          <Offered {...trader} />
        </li>
      ))}
    </ul>
  )
}

/** The whole row leads to the profile, where Subscribe stands. */
function Offered({ averageGain, closed, sparkline, username, ...price }: OfferedTrader) {
  return (
    <Link to={webPaths.trader(username)} className={cn(ROW, 'hover:bg-accent')}>
      <Monogram name={username} />
      <span className="min-w-0 flex-1">
        <span translate="no" className="block font-medium wrap-anywhere">
          {username}
        </span>
        {closed !== undefined && (
          <span className={SMALL}>
            <span>{`Average of ${closed}`}</span>
            <span className="sr-only"> closed positions</span>
          </span>
        )}
      </span>
      {sparkline && <Sparkline levels={sparkline} size={CURVE} className="max-[389px]:hidden" />}
      <span className="min-w-24 text-right">
        <Gain value={averageGain} />
        <TraderPrice trader={price} monthly={SMALL} yearly={SMALL} />
      </span>
    </Link>
  )
}

/** The rows on their way, in their final height. */
function OfferedSkeleton() {
  return (
    <div role="status" aria-label="Loading traders" aria-busy="true" className="-mx-3">
      {['a', 'b', 'c'].map((row) => (
        <div key={row} className={ROW}>
          <Skeleton className="size-7 rounded-full" />
          <Skeleton className="h-4 w-28" />
          <Skeleton className="ml-auto h-8 w-20" />
        </div>
      ))}
    </div>
  )
}
