import { useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { LeaderboardSkeleton, LeaderboardTable } from '../features/traders/leaderboard-table.tsx'
import { RankingRules } from '../features/traders/ranking-rules.tsx'
import { leaderboardQuery } from '../features/traders/traders.api.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { Link } from '../lib/router.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { RefreshFailure } from '../ui/refresh-failure.tsx'
import { WithAside } from '../ui/with-aside.tsx'

/** /leaderboard (docs/specification.md section 2). */
export function LeaderboardScreen() {
  return (
    <div className="space-y-6">
      <header className="space-y-1">
        <h1 className="text-2xl font-semibold tracking-tight">Leaderboard</h1>
        <p className="text-muted-foreground">Ranked by what closed positions really returned.</p>
      </header>
      <WithAside label="How traders are ranked" aside={<RankingRules />}>
        <Leaderboard />
      </WithAside>
    </div>
  )
}

function Leaderboard() {
  const { data, error, isError, refetch } = useQuery(leaderboardQuery)
  if (data === undefined) {
    return isError ? (
      <ErrorPanel message={messageOf(error)} onRetry={() => void refetch()} />
    ) : (
      <LeaderboardSkeleton />
    )
  }
  return (
    <div>
      {isError && <RefreshFailure message={messageOf(error)} onRetry={() => void refetch()} />}
      {data.length === 0 ? <NobodyRanked /> : <LeaderboardTable entries={data} />}
    </div>
  )
}

function NobodyRanked() {
  return (
    <EmptyState
      title="Nobody is ranked yet."
      action={
        <Link
          to={webPaths.trade}
          className="text-sm font-medium text-primary underline-offset-4 hover:underline"
        >
          Publish a position
        </Link>
      }
    >
      A trader appears here with the first position they close.
    </EmptyState>
  )
}
