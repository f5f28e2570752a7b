import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { webPaths } from '@tradepost/contract/web-paths'
import { LeaderboardSkeleton, LeaderboardTable } from '../features/traders/leaderboard-table.tsx'
import { ProvenSkeleton, ProvenTable } from '../features/traders/proven-table.tsx'
import { RankingRules } from '../features/traders/ranking-rules.tsx'
import { leaderboardQuery, provenQuery } from '../features/traders/traders.api.ts'
import { messageOf } from '../lib/api-refusal.ts'
import { Link, useSearchParams } from '../lib/router.tsx'
import type { Elements } from '../ui/elements.ts'
import { EmptyState } from '../ui/empty-state.tsx'
import { ErrorPanel } from '../ui/error-panel.tsx'
import { RefreshFailure } from '../ui/refresh-failure.tsx'
import { RiskLine } from '../ui/risk-line.tsx'
import { Tabs, TabsContent, TabsList, TabsTrigger } from '../ui/tabs.tsx'
import { WithAside } from '../ui/with-aside.tsx'

/** The tabs in their order, query value to label; the specified one is first. */
const TAB_LABELS = { average: 'Average gain', proven: 'Proven' } as const
type Tab = keyof typeof TAB_LABELS

/** /leaderboard (docs/specification.md section 2, ADR 0053). */
export function LeaderboardScreen() {
  const [parameters, setParameters] = useSearchParams()
  const by: Tab = parameters.get('by') === 'proven' ? 'proven' : 'average'
  return (
    <div className="space-y-6 max-sm:space-y-4">
      <header className="space-y-1">
        <h1 className="text-2xl font-semibold tracking-tight">Leaderboard</h1>
        <p className="text-muted-foreground">
          {by === 'proven'
            ? 'Ranked by how clearly positions beat the index.'
            : 'Ranked by what closed positions really returned.'}
        </p>
      </header>
      <Tabs
        value={by}
        className="max-sm:space-y-3"
        onValueChange={(value) => setParameters({ by: value }, { replace: true })}
      >
        <TabsList aria-label="What ranks" className="max-sm:p-0.5">
          {(Object.keys(TAB_LABELS) as Tab[]).map((tab) => (
            <TabsTrigger key={tab} value={tab} className="max-sm:h-11">
              {TAB_LABELS[tab]}
            </TabsTrigger>
          ))}
        </TabsList>
        <TabsContent value="average">
          <Leaderboard />
        </TabsContent>
        <TabsContent value="proven">
          <Proven />
        </TabsContent>
      </Tabs>
      {/* Comes with the list, which would move it. */}
      <div className="[main:has([aria-busy=true])_&]:hidden">
        <RiskLine />
      </div>
    </div>
  )
}

function Leaderboard() {
  return (
    <Ranking by="average" query={useQuery(leaderboardQuery)} skeleton={<LeaderboardSkeleton />}>
      {(data) => (data.leaderboard.length === 0 ? <NobodyRanked /> : <LeaderboardTable {...data} />)}
    </Ranking>
  )
}

function Proven() {
  return (
    <Ranking by="proven" query={useQuery(provenQuery)} skeleton={<ProvenSkeleton />}>
      {({ asOf, entries, own }) =>
        asOf === null || entries.length === 0 ? (
          <NobodyProven />
        ) : (
          <ProvenTable asOf={asOf} entries={entries} own={own} />
        )
      }
    </Ranking>
  )
}

type RankingProps<T> = {
  by: Tab
  query: UseQueryResult<T>
  skeleton: Elements
  children: (data: T) => Elements
}

/** A list in its states, with how it comes about beside it. */
function Ranking<T>({ by, query, skeleton, children }: RankingProps<T>) {
  const { data, error, isError, refetch } = query
  const failure = isError ? messageOf(error) : null
  const retry = () => void refetch()
  return (
    <WithAside
      label="How traders are ranked"
      besideOnly={data === undefined}
      aside={<RankingRules by={by} />}
    >
      {data === undefined && failure === null && skeleton}
      {data === undefined && failure !== null && <ErrorPanel message={failure} onRetry={retry} />}
      {data !== undefined && failure !== null && <RefreshFailure message={failure} onRetry={retry} />}
      {data !== undefined && children(data)}
    </WithAside>
  )
}

function NobodyRanked() {
  return (
    <EmptyState
      title="Nobody is ranked yet."
      action={
        <Link to={webPaths.trade} className="text-sm font-medium underline underline-offset-4">
          Publish a position
        </Link>
      }
    >
      A trader appears here with the first position they close.
    </EmptyState>
  )
}

function NobodyProven() {
  return (
    <EmptyState title="Nobody is proven yet.">
      Scores are computed every night. A trader appears here once a position of theirs was open over a
      session.
    </EmptyState>
  )
}
