import type { TraderProfile } from '@tradepost/contract/traders'
import { webPaths } from '@tradepost/contract/web-paths'
import { Link } from '../../lib/router.tsx'
import { Card, CardContent, CardHeader, CardTitle } from '../../ui/card.tsx'
import { Monogram } from '../../ui/monogram.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { AverageProfit } from './average-profit.tsx'
import { TraderStanding } from './trader-standing.tsx'

/** Beside the offer to follow a trader: three lines of their profile, and the way to it. */
export function TraderRecord({ username, profile }: { username: string; profile: TraderProfile }) {
  return (
    <Card>
      <CardHeader>
        <CardTitle>
          <Link
            to={webPaths.trader(username)}
            className="inline-flex min-h-11 items-center gap-3 rounded-sm outline-none hover:underline focus-visible:ring-2 focus-visible:ring-ring"
          >
            <Monogram name={username} className="size-9 text-sm" />
            <span translate="no" className="wrap-anywhere">
              {username}
            </span>
          </Link>
        </CardTitle>
      </CardHeader>
      <CardContent>
        <dl className="space-y-2 text-sm tabular-nums [&>div]:flex [&>div]:justify-between [&_dd]:font-medium [&_dt]:text-muted-foreground">
          <div>
            <dt>Open positions</dt>
            <dd>{profile.openPositions}</dd>
          </div>
          <div>
            <dt>Closed positions</dt>
            <dd>{profile.closedPositions}</dd>
          </div>
          <div>
            <dt>Average profit %</dt>
            <dd>
              <AverageProfit value={profile.averageProfit} />
            </dd>
          </div>
        </dl>
      </CardContent>
    </Card>
  )
}

/** Above the price of following them: since when they publish and how much is closed; where no card stands beside, the rest of it too. */
export function TraderRecordLine({ username, profile }: { username: string; profile: TraderProfile }) {
  return (
    <div className="flex items-center gap-3">
      <Monogram name={username} className="size-10 xl:hidden" />
      <div className="min-w-0 text-sm text-muted-foreground">
        <p translate="no" className="font-semibold text-foreground wrap-anywhere xl:hidden">
          {username}
        </p>
        <p className="flex flex-wrap gap-x-1.5 tabular-nums xl:hidden">
          <AverageProfit value={profile.averageProfit} />
          <span>average</span>
          <span aria-hidden="true">·</span>
          <span>{`${profile.openPositions} open now`}</span>
        </p>
        <TraderStanding trader={profile} />
      </div>
    </div>
  )
}

/** The record while it loads, in its final shape. */
export function TraderRecordSkeleton() {
  return (
    <div aria-hidden="true">
      <Skeleton className="h-[11.5rem] rounded-xl" />
    </div>
  )
}
