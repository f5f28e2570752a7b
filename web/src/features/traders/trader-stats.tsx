import type { TraderProfile } from '@tradepost/contract/traders'
import { StatCard, statGrid } from '../../ui/stat-card.tsx'
import { AverageProfit } from './average-profit.tsx'

/** The three figures of a profile (docs/specification.md section 2). */
export function TraderStats({ profile }: { profile: TraderProfile }) {
  return (
    <div className={statGrid}>
      <StatCard label="Open positions">{profile.openPositions}</StatCard>
      <StatCard label="Closed positions">{profile.closedPositions}</StatCard>
      <StatCard label="Average profit %">
        <AverageProfit value={profile.averageProfit} />
      </StatCard>
    </div>
  )
}
