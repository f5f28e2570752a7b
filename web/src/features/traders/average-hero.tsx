import { useQuery } from '@tanstack/react-query'
import type { TraderProfile } from '@tradepost/contract/traders'
import { Gain } from '../../ui/gain.tsx'
import { besideIndexText, upToText } from './record-text.ts'
import { trackRecordQuery } from './traders.api.ts'

type AverageHeroProps = { username: string; profile: TraderProfile }

/**
 * The figure of a profile: the average of what was closed, and how that stands beside the index. A close without its price yet is in no
 * average (ADR 0076), and is named, since the number of closed ones has it.
 */
export function AverageHero({ username, profile }: AverageHeroProps) {
  const { averageProfit, closedPositions, record } = profile
  const closed = record?.closed ?? closedPositions
  return (
    <div data-slot="hero" className={heroHeight}>
      <p className="flex flex-wrap items-baseline gap-x-3">
        {averageProfit === null ? (
          <span className="text-[2.5rem] leading-12 font-semibold tracking-tight text-muted-foreground">
            N/A
          </span>
        ) : (
          <Gain
            value={averageProfit}
            className="text-[2.5rem] leading-12 font-semibold tracking-tight [&>svg]:size-[0.45em]"
          />
        )}
        <span className="text-[0.9375rem] text-muted-foreground">{averageOf(closed, profile.isSelf)}</span>
        {closedPositions > closed && (
          <span className="text-[0.9375rem] text-muted-foreground">{`${closedPositions - closed} not settled yet`}</span>
        )}
      </p>
      {closed > 0 && <BesideIndex username={username} closed={closed} />}
    </div>
  )
}

/** How high it is, for what stands in its place while it loads. */
export const heroHeight = 'min-h-19'

function averageOf(closed: number, isSelf: boolean): string {
  if (closed > 0) return `average of ${closed} closed`
  return isSelf ? 'until you close your first position' : 'no closed positions yet'
}

/** The same answer as that of the curve; nothing where it is missing, since the curve says so. */
function BesideIndex({ username, closed }: { username: string; closed: number }) {
  const { data } = useQuery(trackRecordQuery(username, '1y'))
  if (!data?.versusIndex) return null
  const { mean, positions, missing } = data.versusIndex
  const counted = positions + missing
  const over = missing > 0 ? `, over ${positions} of them` : ''
  return (
    <p className="mt-1 text-[0.9375rem]">
      {`${besideIndexText(mean, data.indexSymbol)}${over}${upToText(data.asOf, { counted, closed })}`}
    </p>
  )
}
